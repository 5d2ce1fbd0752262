import type { TestContext } from 'node:test';
import type { NginxInstallation } from '../../src/drivers/nginx/supervisor/nginx-installation.ts';
import { type NginxHarness, nginxHarness } from '../integration/nginx-harness.ts';
import { Dataplane, type DataplaneOptions } from '../support/dataplane.ts';
import type { Scope } from '../support/scope.ts';
import { Site } from '../support/site.ts';
import { startWeir, type Weir, type WeirOptions } from '../support/weir.ts';

/** One of the nginx that weir ships on, and the ways in which tests run it. */
export class NginxUnderTest {
  readonly installation: NginxInstallation;

  constructor(installation: NginxInstallation) {
    this.installation = installation;
  }

  get path(): string {
    return this.installation.executable;
  }

  /** As the suite of its tests is called: `nginx 1.26.3`. */
  get name(): string {
    return `nginx ${this.installation.version}`;
  }

  /** Whether this is 1.26, or what comes after it, and not Debian 12's 1.22. */
  get isNewer(): boolean {
    return !this.installation.version.startsWith('1.22.');
  }

  /** Drivers that run it, in a state directory of the test. */
  harness(t: TestContext): NginxHarness {
    return nginxHarness(t, this.path);
  }

  /** The data plane alone in it. */
  dataplane(scope: Scope, options: DataplaneOptions = {}): Promise<Dataplane> {
    return Dataplane.start(scope, { ...options, nginx: this.path });
  }

  /** `weir run` with it. */
  weir(scope: Scope, options: WeirOptions): Promise<Weir> {
    return startWeir(scope, { ...options, env: { ...options.env, WEIR_NGINX: this.path } });
  }

  /** `weir run` with it and a folder of manifests that tests change. */
  site(scope: Scope, args: readonly string[] = []): Promise<Site> {
    return Site.open(scope, ['--nginx', this.path, ...args]);
  }
}
