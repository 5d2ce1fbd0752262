import type { NginxSettings } from './conf/configuration.ts';
import type { ConfigurationInput, RenderedConfiguration } from './conf/configuration.ts';
import type { Profile } from './conf/profile.ts';
import type { RouteDefaults } from './records/render-context.ts';
import type { SupervisorLimits } from './supervisor/nginx-supervisor.ts';

/** The compiled Lua, in a directory or, inside the single executable, by path. `hash` is of its content. */
export type DataplaneBuild =
  | { readonly hash: string; readonly dir: string }
  | { readonly hash: string; readonly files: ReadonlyMap<string, Uint8Array> };

/** Something that an operator may want to read in the log or count. */
export interface NginxEvent {
  readonly event:
    | 'started'
    | 'adopted'
    | 'reloaded'
    | 'ended'
    | 'restart-failed'
    | 'orphans-quit'
    | 'quarantined'
    | 'no-room';
  readonly message: string;
  /** For reloads: as in ReloadReason. */
  readonly reason?: string;
}

export interface NginxDriverOptions {
  /** Everything of nginx's lies below it; made if it isn't there. */
  readonly stateDirectory: string;
  /** Makes, or finds, the compiled data plane. */
  readonly dataplane: () => Promise<DataplaneBuild>;
  /** Path of nginx; absent: searched for. */
  readonly nginx?: string;
  readonly workers?: number | 'auto';
  /** Account of the workers where weir is root; absent: www-data, nginx or nobody, the first that exists. */
  readonly user?: string;
  readonly accessLog?: string | 'off';
  readonly errorLog?: string;
  readonly errorLogLevel?: NginxSettings['errorLogLevel'];
  readonly workerConnections?: number;
  /** Seconds. */
  readonly workerShutdownTimeout?: number;
  readonly upstreamKeepAlive?: NginxSettings['upstreamKeepAlive'];
  /** Bytes. */
  readonly zones?: { readonly data?: number; readonly certificates?: number; readonly counters?: number };
  readonly routeDefaults?: Partial<RouteDefaults>;
  /** Milliseconds that `stop('drain')` waits for requests to end. */
  readonly drainTimeout?: number;
  /** Ports that another process of the same account listens on are taken for another weir's, and shared with it. */
  readonly sharePorts?: boolean;
  /** Path of the machine's bundle of certificate authorities; absent: searched for. */
  readonly systemAuthorities?: string;
  readonly limits?: Partial<SupervisorLimits>;
  readonly onEvent?: (event: NginxEvent) => void;
  readonly render?: (input: ConfigurationInput) => RenderedConfiguration;
  /** False: it is there to be asked, and no request ever comes, so its workers need no place for bodies. */
  readonly serves?: false;
  /** Tests only: what goes into the configuration instead of a profile, to make nginx refuse it. */
  readonly faultProfile?: (profile: Profile) => Profile;
}
