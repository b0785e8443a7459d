/* tests/live/fake_nvml.c — a library that tells of GPUs that are not there, in place of NVML. */
#include <string.h>

int nvmlInit_v2 (void);
int nvmlShutdown (void);
int nvmlDeviceGetCount_v2 (unsigned int *out_count);
int nvmlDeviceGetHandleByIndex_v2 (unsigned int index, void **out_device);
int nvmlDeviceGetName (void *device, char *out_name, unsigned int length_bytes);
int nvmlDeviceGetMinorNumber (void *device, unsigned int *out_minor);

static char names[4][24] = { "NVIDIA H200", "NVIDIA H200", "", "NVIDIA A100:80G, PCIe" };

int
nvmlInit_v2 (void)
{
  return 0;
}

int
nvmlShutdown (void)
{
  return 0;
}

int
nvmlDeviceGetCount_v2 (unsigned int *out_count)
{
  *out_count = 4;
  return 0;
}

/* The third has fallen off the bus. */
int
nvmlDeviceGetHandleByIndex_v2 (unsigned int index, void **out_device)
{
  *out_device = names[index];
  return index == 2 ? 15 : 0;
}

int
nvmlDeviceGetName (void *device, char *out_name, unsigned int length_bytes)
{
  strncpy (out_name, device, length_bytes);
  return 0;
}

/* Minor numbers need not be in the order of the bus. */
int
nvmlDeviceGetMinorNumber (void *device, unsigned int *out_minor)
{
  *out_minor = 3 - (unsigned int)(((char (*)[24])device) - names);
  return 0;
}
