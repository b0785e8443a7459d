/* tests/policies/multifactor_oracle_test.c — the numbers that a Slurm 26.05.3 printed for one tree
 * of accounts and ten jobs, under seven configurations.
 *
 * Expected are lines of `sprio -o` (id, partition, priority and its normalized value; then term and
 * factor of age, fairshare, size, partition and QOS; nice; term and factor of the association) and
 * of `sshare -a -P -l` (account and user, NormShares, NormUsage, EffectvUsage, FairShare, LevelFS).
 * Use is billing times seconds times UsageFactor, as the jobs that made it ran. */
#include <math.h>

#include "policies/orders.h"
#include "tests/policies/priority_fixture.h"

#define NOW_S G_GINT64_CONSTANT (1000000)

/* ---------------------------------------------------------------- what was recorded */

static const char *const fair_tree_jobs[] = {
  "9|batch|4400|0.00000102445483|0|0.0000000|3000|0.3000000|1000|1.0000000|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "10|batch|2650|0.00000061700121|0|0.0000000|2000|0.2000000|250|0.2500000|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "11|batch|2040|0.00000047512003|0|0.0000000|1000|0.1000000|141|0.1406250|400|0.2000000|0|0."
  "0000000|0|500|1.0000000",
  "12|batch|9556|0.00000222498784|0|0.0000000|5000|0.5000000|156|0.1562500|400|0.2000000|4000|1."
  "0000000|0|0|0.0000000",
  "13|batch|7856|0.00000182917574|0|0.0000000|6000|0.6000000|156|0.1562500|400|0.2000000|1600|0."
  "4000000|300|0|0.0000000",
  "14|batch|10556|0.00000245781848|0|0.0000000|10000|1.0000000|156|0.1562500|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "15|fast|10156|0.00000236468623|0|0.0000000|8000|0.8000000|156|0.1562500|2000|1.0000000|0|0."
  "0000000|0|0|0.0000000",
  "16|batch|4556|0.00000106083462|0|0.0000000|4000|0.4000000|156|0.1562500|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "16|fast|6156|0.00000143336365|0|0.0000000|4000|0.4000000|156|0.1562500|2000|1.0000000|0|0."
  "0000000|0|0|0.0000000",
  "17|batch|2240|0.00000052168616|0|0.0000000|1000|0.1000000|141|0.1406250|400|0.2000000|0|0."
  "0000000|-200|500|1.0000000",
};

static const char *const fair_tree_shares[] = {
  "root|0.000000||1.000000||",
  "root/root|0.009901|0.000000|0.000000|1.000000|inf",
  "chem|0.297030|0.239842|0.239842||1.238439",
  "chem/dave|0.500000|0.159895|0.666667|0.500000|0.750000",
  "chem/erin|0.500000|0.079947|0.333333|0.600000|1.500000",
  "idle|0.198020|0.000000|0.000000||inf",
  "idle/frank|1.000000|0.000000|0.000000|1.000000|inf",
  "phys|0.396040|0.682116|0.682116||0.580604",
  "phys/dave|0.333333|0.011104|0.016278|0.400000|20.476962",
  "astro|0.166667|0.226860|0.332583||0.501128",
  "astro/carol|1.000000|0.226860|1.000000|0.100000|1.000000",
  "hep|0.500000|0.444152|0.651138||0.767886",
  "hep/alice|0.666667|0.355321|0.800000|0.200000|0.833333",
  "hep/bob|0.333333|0.088830|0.200000|0.300000|1.666667",
  "shared|0.099010|0.078042|0.078042||1.268674",
  "shared/alice|0.099010|0.078042|1.000000|0.800000|",
  "shared/frank|0.099010|0.000000|0.000000|0.800000|",
};

static const char *const classic_jobs[] = {
  "9|batch|2147|0.00000050011285|0|0.0000694|748|0.0747899|1000|1.0000000|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "10|batch|1397|0.00000032548986|0|0.0000694|748|0.0747899|250|0.2500000|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "11|batch|1456|0.00000033921799|0|0.0000694|416|0.0416236|141|0.1406250|400|0.2000000|0|0."
  "0000000|0|500|1.0000000",
  "12|batch|8490|0.00000197690249|0|0.0000694|3934|0.3934412|156|0.1562500|400|0.2000000|4000|1."
  "0000000|0|0|0.0000000",
  "13|batch|6597|0.00000153614435|0|0.0000694|4741|0.4741370|156|0.1562500|400|0.2000000|1600|0."
  "4000000|300|0|0.0000000",
  "14|batch|10556|0.00000245783465|0|0.0000694|10000|1.0000000|156|0.1562500|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "15|fast|7946|0.00000185027795|0|0.0000694|5791|0.5790564|156|0.1562500|2000|1.0000000|0|0."
  "0000000|0|0|0.0000000",
  "16|batch|3471|0.00000080823666|0|0.0000694|2915|0.2915031|156|0.1562500|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "16|fast|5071|0.00000118076569|0|0.0000694|2915|0.2915031|156|0.1562500|2000|1.0000000|0|0."
  "0000000|0|0|0.0000000",
  "17|batch|1656|0.00000038578412|0|0.0000694|416|0.0416236|141|0.1406250|400|0.2000000|0|0."
  "0000000|-200|500|1.0000000",
};

static const char *const classic_shares[] = {
  "root|1.000000||1.000000||",
  "root/root|0.009901|0.000000|0.000000|1.000000|",
  "chem|0.297030|0.239842|0.239842||",
  "chem/dave|0.148515|0.159895|0.199868|0.393441|",
  "chem/erin|0.148515|0.079947|0.159895|0.474137|",
  "idle|0.198020|0.000000|0.000000||",
  "idle/frank|0.198020|0.000000|0.000000|1.000000|",
  "phys|0.396040|0.682116|0.682116||",
  "phys/dave|0.132013|0.011104|0.234775|0.291503|",
  "astro|0.066007|0.226860|0.302736||",
  "astro/carol|0.066007|0.226860|0.302736|0.041624|",
  "hep|0.198020|0.444152|0.563134||",
  "hep/alice|0.132013|0.355321|0.493863|0.074790|",
  "hep/bob|0.066007|0.088830|0.246932|0.074790|",
  "shared|0.099010|0.078042|0.078042||",
  "shared/alice|0.099010|0.078042|0.078042|0.579056|",
  "shared/frank|0.099010|0.000000|0.078042|0.579056|",
};

static const char *const depth_oblivious_jobs[] = {
  "9|batch|11400|0.00000265432593|0|0.0002431|10000|1.0000000|1000|1.0000000|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "10|batch|9846|0.00000229249949|0|0.0002431|9196|0.9195967|250|0.2500000|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "11|batch|10262|0.00000238934634|0|0.0002431|9221|0.9221296|141|0.1406250|400|0.2000000|0|0."
  "0000000|0|500|1.0000000",
  "12|batch|14556|0.00000338919765|0|0.0002431|10000|1.0000000|156|0.1562500|400|0.2000000|4000|1."
  "0000000|0|0|0.0000000",
  "13|batch|8742|0.00000203546462|0|0.0002431|6886|0.6885761|156|0.1562500|400|0.2000000|1600|0."
  "4000000|300|0|0.0000000",
  "14|batch|10556|0.00000245787507|0|0.0002431|10000|1.0000000|156|0.1562500|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "15|fast|7947|0.00000185031837|0|0.0002431|5791|0.5790564|156|0.1562500|2000|1.0000000|0|0."
  "0000000|0|0|0.0000000",
  "16|batch|4903|0.00000114176793|0|0.0002431|4347|0.4347363|156|0.1562500|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "16|fast|6503|0.00000151429696|0|0.0002431|4347|0.4347363|156|0.1562500|2000|1.0000000|0|0."
  "0000000|0|0|0.0000000",
  "17|batch|10462|0.00000243591247|0|0.0002431|9221|0.9221296|141|0.1406250|400|0.2000000|0|0."
  "0000000|-200|500|1.0000000",
};

static const char *const depth_oblivious_shares[] = {
  "root|1.000000||1.000000||",
  "root/root|0.009901|0.000000|0.000000|1.000000|",
  "chem|0.297030|0.239842|0.239842||",
  "chem/dave|0.148515|0.159895|0.000000|1.000000|",
  "chem/erin|0.148515|0.079947|0.079947|0.688576|",
  "idle|0.198020|0.000000|0.000000||",
  "idle/frank|0.198020|0.000000|0.000000|1.000000|",
  "phys|0.396040|0.682116|0.682116||",
  "phys/dave|0.132013|0.011104|0.158652|0.434736|",
  "astro|0.066007|0.226860|0.007720||",
  "astro/carol|0.066007|0.226860|0.007720|0.922130|",
  "hep|0.198020|0.444152|0.023907||",
  "hep/alice|0.132013|0.355321|0.015964|0.919597|",
  "hep/bob|0.066007|0.088830|0.000000|1.000000|",
  "shared|0.099010|0.078042|0.078042||",
  "shared/alice|0.099010|0.078042|0.078042|0.579056|",
  "shared/frank|0.099010|0.000000|0.078042|0.579056|",
};

static const char *const size_relative_jobs[] = {
  "9|batch|3500|0.00000081500427|0|0.0004167|3000|0.3000000|100|0.1000000|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "10|batch|2425|0.00000056471132|0|0.0004167|2000|0.2000000|25|0.0250000|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "11|batch|1904|0.00000044344536|0|0.0004167|1000|0.1000000|4|0.0041667|400|0.2000000|0|0.0000000|"
  "0|500|1.0000000",
  "12|batch|9425|0.00000219452583|0|0.0004167|5000|0.5000000|25|0.0250000|400|0.2000000|4000|1."
  "0000000|0|0|0.0000000",
  "13|batch|7725|0.00000179871374|0|0.0004167|6000|0.6000000|25|0.0250000|400|0.2000000|1600|0."
  "4000000|300|0|0.0000000",
  "14|batch|10425|0.00000242735647|0|0.0004167|10000|1.0000000|25|0.0250000|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "15|fast|10025|0.00000233422422|0|0.0004167|8000|0.8000000|25|0.0250000|2000|1.0000000|0|0."
  "0000000|0|0|0.0000000",
  "16|batch|4425|0.00000103037261|0|0.0004167|4000|0.4000000|25|0.0250000|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "16|fast|6025|0.00000140290164|0|0.0004167|4000|0.4000000|25|0.0250000|2000|1.0000000|0|0."
  "0000000|0|0|0.0000000",
  "17|batch|2125|0.00000049486213|0|0.0004167|1000|0.1000000|25|0.0250000|400|0.2000000|0|0."
  "0000000|-200|500|1.0000000",
};

static const char *const no_norm_jobs[] = {
  "9|batch|4040|0.00000094077054|1|0.0005787|3000|0.3000000|1000|1.0000000|40|2.0000000|0|0."
  "0000000|0|0|0.0000000",
  "10|batch|2290|0.00000053331691|1|0.0005787|2000|0.2000000|250|0.2500000|40|2.0000000|0|0."
  "0000000|0|0|0.0000000",
  "11|batch|1216|0.00000028316949|1|0.0005787|1000|0.1000000|141|0.1406250|40|2.0000000|0|0."
  "0000000|0|35|7.0000000",
  "12|batch|9196|0.00000214130355|1|0.0005787|5000|0.5000000|156|0.1562500|40|2.0000000|4000|100."
  "0000000|0|0|0.0000000",
  "13|batch|7496|0.00000174549145|1|0.0005787|6000|0.6000000|156|0.1562500|40|2.0000000|1600|40."
  "0000000|300|0|0.0000000",
  "14|batch|10196|0.00000237413419|1|0.0005787|10000|1.0000000|156|0.1562500|40|2.0000000|0|0."
  "0000000|0|0|0.0000000",
  "15|fast|8356|0.00000194572581|1|0.0005787|8000|0.8000000|156|0.1562500|200|10.0000000|0|0."
  "0000000|0|0|0.0000000",
  "16|batch|4196|0.00000097715033|1|0.0005787|4000|0.4000000|156|0.1562500|40|2.0000000|0|0."
  "0000000|0|0|0.0000000",
  "16|fast|4356|0.00000101440323|1|0.0005787|4000|0.4000000|156|0.1562500|200|10.0000000|0|0."
  "0000000|0|0|0.0000000",
  "17|batch|1416|0.00000032973562|1|0.0005787|1000|0.1000000|141|0.1406250|40|2.0000000|0|0."
  "0000000|-200|35|7.0000000",
};

static const char *const age_calc_jobs[] = {
  "1|batch|25333|0.00000589837631|25333|0.2533333|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|"
  "0|0|0.0000000",
  "9|batch|1|0.00000000023283|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0|0."
  "0000000",
  "10|batch|1|0.00000000023283|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0|0."
  "0000000",
  "11|batch|1|0.00000000023283|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0|0."
  "0000000",
  "12|batch|1|0.00000000023283|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0|0."
  "0000000",
  "13|batch|1|0.00000000023283|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|300|0|0."
  "0000000",
  "14|batch|1|0.00000000023283|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0|0."
  "0000000",
  "15|fast|1|0.00000000023283|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0|0."
  "0000000",
  "16|batch|1|0.00000000023283|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0|0."
  "0000000",
  "16|fast|1|0.00000000023283|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0|0."
  "0000000",
  "17|batch|200|0.00000004656613|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|0|0.0000000|-200|"
  "0|0.0000000",
};

static const char *const decay_jobs[] = {
  "9|batch|4400|0.00000102467311|1|0.0009375|3000|0.3000000|1000|1.0000000|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "10|batch|2650|0.00000061721948|1|0.0009375|2000|0.2000000|250|0.2500000|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "11|batch|2041|0.00000047533831|1|0.0009375|1000|0.1000000|141|0.1406250|400|0.2000000|0|0."
  "0000000|0|500|1.0000000",
  "12|batch|9557|0.00000222520612|1|0.0009375|5000|0.5000000|156|0.1562500|400|0.2000000|4000|1."
  "0000000|0|0|0.0000000",
  "13|batch|7857|0.00000182939402|1|0.0009375|6000|0.6000000|156|0.1562500|400|0.2000000|1600|0."
  "4000000|300|0|0.0000000",
  "14|batch|10557|0.00000245803676|1|0.0009375|10000|1.0000000|156|0.1562500|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "15|fast|10157|0.00000236490450|1|0.0009375|8000|0.8000000|156|0.1562500|2000|1.0000000|0|0."
  "0000000|0|0|0.0000000",
  "16|batch|4557|0.00000106105290|1|0.0009375|4000|0.4000000|156|0.1562500|400|0.2000000|0|0."
  "0000000|0|0|0.0000000",
  "16|fast|6157|0.00000143358193|1|0.0009375|4000|0.4000000|156|0.1562500|2000|1.0000000|0|0."
  "0000000|0|0|0.0000000",
  "17|batch|2241|0.00000052190444|1|0.0009375|1000|0.1000000|141|0.1406250|400|0.2000000|0|0."
  "0000000|-200|500|1.0000000",
};

static const char *const decay_shares[] = {
  "root|0.000000||1.000000||",
  "root/root|0.009901|0.000000|0.000000|1.000000|inf",
  "chem|0.297030|0.239842|0.239842||1.238439",
  "chem/dave|0.500000|0.159895|0.666667|0.500000|0.750000",
  "chem/erin|0.500000|0.079947|0.333333|0.600000|1.500000",
  "idle|0.198020|0.000000|0.000000||inf",
  "idle/frank|1.000000|0.000000|0.000000|1.000000|inf",
  "phys|0.396040|0.682116|0.682116||0.580604",
  "phys/dave|0.333333|0.011104|0.016278|0.400000|20.476963",
  "astro|0.166667|0.226860|0.332583||0.501128",
  "astro/carol|1.000000|0.226860|1.000000|0.100000|1.000000",
  "hep|0.500000|0.444152|0.651138||0.767886",
  "hep/alice|0.666667|0.355321|0.800000|0.200000|0.833333",
  "hep/bob|0.333333|0.088830|0.200000|0.300000|1.666667",
  "shared|0.099010|0.078042|0.078042||1.268674",
  "shared/alice|0.099010|0.078042|1.000000|0.800000|",
  "shared/frank|0.099010|0.000000|0.000000|0.800000|",
};

/* ---------------------------------------------------------------- the site */

typedef struct {
  PriorityFixture *fixture;
  const char *names[PRIORITY_ASSOCIATIONS_MAX]; /* of associations, as the lines have them */
} Site;

static guint32
account (Site *site, const char *name, guint32 parent, guint32 shares)
{
  guint32 index = priority_fixture_account (site->fixture, parent, shares);
  site->names[index] = name;
  return index;
}

static guint32
user (Site *site, const char *name, guint32 parent, guint32 shares, double usage)
{
  guint32 index = priority_fixture_user (site->fixture, parent, shares, usage);
  site->names[index] = name;
  return index;
}

/* Four nodes of 8 processors; partitions batch (factor 2) and fast (10); QOS normal 0, hi 100, mid
 * 40, free 10. */
static Site
new_site (void)
{
  Site site = { .fixture = priority_fixture_new (4, 8), .names = { "root" } };
  user (&site, "root/root", 0, 1, 0);
  guint32 chem = account (&site, "chem", 0, 30);
  user (&site, "chem/dave", chem, 1, 73.7578125);
  user (&site, "chem/erin", chem, 1, 36.87890625);
  guint32 idle = account (&site, "idle", 0, 20);
  user (&site, "idle/frank", idle, 1, 0);
  guint32 phys = account (&site, "phys", 0, 40);
  user (&site, "phys/dave", phys, 2, 5.1220703125);
  guint32 astro = account (&site, "astro", phys, 1);
  guint32 carol = user (&site, "astro/carol", astro, 5, 104.6484375);
  site.fixture->associations[carol].priority = 7;
  guint32 hep = account (&site, "hep", phys, 3);
  user (&site, "hep/alice", hep, 2, 163.90625);
  user (&site, "hep/bob", hep, 1, 40.9765625);
  guint32 shared = account (&site, "shared", 0, 10);
  user (&site, "shared/alice", shared, LK_SHARES_PARENT, 36);
  user (&site, "shared/frank", shared, LK_SHARES_PARENT, 0);
  site.fixture->partitions[0].priority_job_factor = 2;
  priority_fixture_partition (site.fixture, 1, 10);
  priority_fixture_qos (site.fixture, 100);
  priority_fixture_qos (site.fixture, 40);
  priority_fixture_qos (site.fixture, 10);
  return site;
}

static guint32
find (const Site *site, const char *name)
{
  for (guint32 i = 0; i < site->fixture->accounts.association_count; i++)
    if (g_str_equal (site->names[i], name))
      return i;
  g_error ("no association '%s'", name);
}

/* The jobs 9 to 18 of the recording, the last one held, submitted `age_s` ago. */
static void
submit_jobs (Site *site, gint64 age_s)
{
  static const struct {
    const char *who;
    PriorityJob job;
  } jobs[] = {
    { "hep/bob", { .nodes = 4, .procs = 32, .limit_min = 10 } },
    { "hep/alice", { .procs = 8, .limit_min = 10 } },
    { "astro/carol", { .procs = 1, .limit_min = 60 } },
    { "chem/dave", { .procs = 2, .limit_min = 10, .qos = 1 } },
    { "chem/erin", { .procs = 2, .limit_min = 10, .qos = 2, .nice = 300 } },
    { "idle/frank", { .procs = 2, .limit_min = 10 } },
    { "shared/frank", { .procs = 2, .limit_min = 10, .partition = 1 } },
    { "phys/dave", { .procs = 2, .limit_min = 10 } },
    { "astro/carol", { .procs = 1, .limit_min = 10, .nice = -200 } },
    { "chem/erin", { .procs = 1, .limit_min = 10 } },
  };
  site->fixture->view.now_us = NOW_S * G_USEC_PER_SEC;
  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++) {
    PriorityJob job = jobs[i].job;
    job.id = 9 + i;
    job.association = find (site, jobs[i].who);
    job.submit_s = NOW_S - age_s;
    priority_fixture_job (site->fixture, &job);
  }
  site->fixture->phase[9] = LK_PHASE_HELD;
}

/* Slurm was started anew for each configuration but the first: its state file has the use of users
 * with six decimals. */
static void
round_use (Site *site)
{
  for (guint32 i = 0; i < site->fixture->accounts.association_count; i++)
    if (site->fixture->associations[i].is_user) {
      double usage = site->fixture->associations[i].use.usage;
      priority_fixture_use (site->fixture, i, rint (usage * 1e6) / 1e6 - usage);
    }
}

/* ---------------------------------------------------------------- as Slurm prints it */

/* What sprio adds up itself: the sum before its fraction is cut off. */
static double
whole_sum (const LkPriorityParts *parts)
{
  double sum = parts->age_term + parts->association_term + parts->fairshare_term
               + parts->job_size_term + parts->partition_term + parts->qos_term + parts->tres_term
               + (double)parts->site_factor - (double)parts->nice;
  return MAX (sum, 1.0);
}

static char *
job_line (const Site *site, void *instance, LkJobIndex job, guint32 partition)
{
  LkPriorityParts parts = { .size = sizeof parts };
  lk_order_multifactor.explain (instance, &site->fixture->view, job, partition, &parts);
  return g_strdup_printf (
      "%u|%s|%u|%.14f|%.0f|%.7f|%.0f|%.7f|%.0f|%.7f|%.0f|%.7f|%.0f|%.7f|%" G_GINT64_FORMAT
      "|%.0f|%.7f",
      site->fixture->id[job], partition == 0 ? "batch" : "fast", parts.priority,
      whole_sum (&parts) / 4294967295.0, parts.age_term, parts.age_factor, parts.fairshare_term,
      parts.fairshare_factor, parts.job_size_term, parts.job_size_factor, parts.partition_term,
      parts.partition_factor, parts.qos_term, parts.qos_factor, parts.nice, parts.association_term,
      parts.association_factor);
}

static void
check_jobs (const Site *site, void *instance, const char *const *lines, guint count)
{
  for (guint i = 0; i < count; i++) {
    guint32 id = (guint32)g_ascii_strtoull (lines[i], NULL, 10);
    guint32 partition = strstr (lines[i], "|fast|") != NULL ? 1 : 0;
    LkJobIndex job = site->fixture->view.host->job_by_id (&site->fixture->view, id);
    g_autofree char *line = job_line (site, instance, job, partition);
    g_assert_cmpstr (line, ==, lines[i]);
  }
}

static char *
cell (double value)
{
  if (value < 0.0)
    return g_strdup ("");
  return isinf (value) ? g_strdup ("inf") : g_strdup_printf ("%.6f", value);
}

static char *
share_line (const Site *site, void *instance, guint32 index)
{
  LkShareParts parts = priority_fixture_share (site->fixture, instance, index);
  g_autofree char *shares = cell (parts.shares_norm);
  g_autofree char *usage = cell (parts.usage_norm);
  g_autofree char *effective = cell (parts.usage_effective);
  g_autofree char *fairshare = cell (parts.fairshare);
  g_autofree char *level = cell (parts.level_fairshare);
  return g_strjoin ("|", site->names[index], shares, usage, effective, fairshare, level, NULL);
}

static void
check_shares (const Site *site, void *instance, const char *const *lines, guint count)
{
  for (guint i = 0; i < count; i++) {
    g_autofree char *name = g_strndup (lines[i], strcspn (lines[i], "|"));
    g_autofree char *line = share_line (site, instance, find (site, name));
    g_assert_cmpstr (line, ==, lines[i]);
  }
}

/* ---------------------------------------------------------------- the configurations */

typedef struct {
  gint64 age_s;   /* of the jobs when they were calculated */
  double decayed; /* what is left of all use */
  const char *flags;
  const char *const *jobs;
  guint job_count;
  const char *const *shares;
  guint share_count;
} Recording;

static void
check (const Recording *recording, const char *partition, const char *qos, const char *assoc)
{
  Site site = new_site ();
  void *instance =
      priority_new ("weight_age", "1000", "weight_fairshare", "10000", "weight_job_size", "1000",
                    "weight_partition", partition, "weight_qos", qos, "weight_assoc", assoc,
                    "max_age_s", "86400", "flags", recording->flags, NULL);
  submit_jobs (&site, recording->age_s);
  if (recording->age_s > 0)
    round_use (&site);
  for (guint32 i = 0; i < site.fixture->accounts.association_count; i++)
    site.fixture->associations[i].use.usage *= recording->decayed;
  priority_fixture_cycle (site.fixture, instance);
  check_jobs (&site, instance, recording->jobs, recording->job_count);
  check_shares (&site, instance, recording->shares, recording->share_count);
  lk_order_multifactor.base.destroy (instance);
  priority_fixture_free (site.fixture);
}

static void
test_fair_tree (void)
{
  Recording recording = {
    .age_s = 0,
    .decayed = 1,
    .flags = "",
    .jobs = fair_tree_jobs,
    .job_count = G_N_ELEMENTS (fair_tree_jobs),
    .shares = fair_tree_shares,
    .share_count = G_N_ELEMENTS (fair_tree_shares),
  };
  check (&recording, "2000", "4000", "500");
}

static void
test_classic (void)
{
  Recording recording = {
    .age_s = 6,
    .decayed = 1,
    .flags = "NO_FAIR_TREE",
    .jobs = classic_jobs,
    .job_count = G_N_ELEMENTS (classic_jobs),
    .shares = classic_shares,
    .share_count = G_N_ELEMENTS (classic_shares),
  };
  check (&recording, "2000", "4000", "500");
}

/* The first cycle after a start: dave in chem and bob have next to no effective use, because nobody
 * had looked at the use of erin and alice. */
static void
test_depth_oblivious (void)
{
  Recording recording = {
    .age_s = 21,
    .decayed = 1,
    .flags = "DEPTH_OBLIVIOUS",
    .jobs = depth_oblivious_jobs,
    .job_count = G_N_ELEMENTS (depth_oblivious_jobs),
    .shares = depth_oblivious_shares,
    .share_count = G_N_ELEMENTS (depth_oblivious_shares),
  };
  check (&recording, "2000", "4000", "500");
}

static void
test_size_relative (void)
{
  Recording recording = {
    .age_s = 36,
    .decayed = 1,
    .flags = "SMALL_RELATIVE_TO_TIME",
    .jobs = size_relative_jobs,
    .job_count = G_N_ELEMENTS (size_relative_jobs),
  };
  check (&recording, "2000", "4000", "500");
}

static void
test_no_norm (void)
{
  Recording recording = {
    .age_s = 50,
    .decayed = 1,
    .flags = "NO_NORMAL_ALL",
    .jobs = no_norm_jobs,
    .job_count = G_N_ELEMENTS (no_norm_jobs),
  };
  check (&recording, "20", "40", "5");
}

static void
test_decay (void)
{
  Recording recording = {
    .age_s = 81,
    .decayed = 0.98281,
    .flags = "",
    .jobs = decay_jobs,
    .job_count = G_N_ELEMENTS (decay_jobs),
    .shares = decay_shares,
    .share_count = G_N_ELEMENTS (decay_shares),
  };
  check (&recording, "2000", "4000", "500");
}

/* Only ages weigh. Jobs that had not begun to accrue when they were calculated, and one that runs
 * and is calculated too. */
static void
test_age_calc (void)
{
  Site site = new_site ();
  void *instance =
      priority_new ("weight_age", "100000", "max_age_s", "600", "flags", "CALCULATE_RUNNING", NULL);
  submit_jobs (&site, 66);
  for (LkJobIndex job = 0; job < site.fixture->view.job_index_limit; job++)
    site.fixture->accrue_us[job] = LK_TIME_NEVER;
  LkJobIndex running = priority_fixture_job (
      site.fixture, &(PriorityJob){ .id = 1, .procs = 8, .limit_min = 2, .submit_s = NOW_S - 152 });
  site.fixture->phase[running] = LK_PHASE_RUNNING;
  priority_fixture_cycle (site.fixture, instance);
  check_jobs (&site, instance, age_calc_jobs, G_N_ELEMENTS (age_calc_jobs));
  lk_order_multifactor.base.destroy (instance);
  priority_fixture_free (site.fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/multifactor oracle/fair tree", test_fair_tree);
  g_test_add_func ("/multifactor oracle/classic fairshare", test_classic);
  g_test_add_func ("/multifactor oracle/DEPTH_OBLIVIOUS", test_depth_oblivious);
  g_test_add_func ("/multifactor oracle/SMALL_RELATIVE_TO_TIME", test_size_relative);
  g_test_add_func ("/multifactor oracle/NO_NORMAL_ALL", test_no_norm);
  g_test_add_func ("/multifactor oracle/ages only, running jobs too", test_age_calc);
  g_test_add_func ("/multifactor oracle/decayed use", test_decay);
  return g_test_run ();
}
