sacctmgr -i add account phys descr=physics org=org1 fairshare=1
sacctmgr -i add user alice account=phys fairshare=1
sacctmgr -i add user bob account=phys fairshare=1
sacctmgr -i add user carol account=phys fairshare=1
sacctmgr -i add user dave account=phys fairshare=1
sacctmgr -i add qos low priority=1
sacctmgr -i add qos high priority=100 preempt=low
sacctmgr -i modify account phys set qos+=low,high
