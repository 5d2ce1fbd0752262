/** Ends the test cluster and shows that nothing is left of it. */
import { ClusterError } from './cluster-error.ts';
import { planOfRunning } from './cluster-settings.ts';
import { exclusively } from './machine/exclusively.ts';
import { Progress } from './progress.ts';
import { leftovers, stopCluster } from './stop-cluster.ts';

if (import.meta.main) {
  try {
    const plan = planOfRunning();
    const progress = new Progress();
    const end = async () => {
      if (leftovers(plan).length === 0) return progress.say(`there is no ${plan.name}`);
      await progress.step(`ending ${plan.name}`, () => stopCluster(plan));
      progress.say('checked: no process, control group, interface, mount or folder is left of it');
    };
    await exclusively(plan.lockFile, end, (owner) =>
      progress.say(`process ${owner} is starting ${plan.name}; waiting for it`),
    );
  } catch (error) {
    if (!(error instanceof ClusterError) && !(error instanceof RangeError)) throw error;
    console.error(`cluster: ${error.message}`);
    process.exitCode = 1;
  }
}
