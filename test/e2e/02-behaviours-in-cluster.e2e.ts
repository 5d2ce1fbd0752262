import { before } from 'node:test';
import { ingressBehaviours, prepareBehaviours } from '../support/e2e/ingress-behaviours.ts';
import { InstalledWeir } from '../support/e2e/installed-weir.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let weir: InstalledWeir;
let namespace: string;

before(async () => {
  weir = await InstalledWeir.join();
  namespace = await prepareBehaviours(weir.cluster, scope, 'inside');
});

ingressBehaviours(
  () => weir.entry,
  () => ({ cluster: weir.cluster, namespace }),
);
