import type { Listener } from '../../../model/listener.ts';
import type { Directive } from './directive.ts';
import type { Profile } from './profile.ts';

export interface Zone {
  readonly name: string;
  readonly bytes: number;
}

/** Everything nginx.conf depends on. */
export interface ConfigurationInput {
  /** Only the control socket, no listeners: how nginx starts, before it has a model. */
  readonly closed: boolean;
  readonly listeners: readonly Listener[];
  readonly profiles: readonly Profile[];
  readonly zones: { readonly data: Zone; readonly certificates: Zone; readonly counters: Zone };
  /** While zones are being replaced: the former ones, kept until the new are filled. */
  readonly formerZones?: { readonly data: Zone; readonly certificates: Zone };
  readonly settings: NginxSettings;
}

/** What an operator may set, and where things are. */
export interface NginxSettings {
  readonly nginxVersion: string;
  readonly modules: readonly string[];
  /** Where Lua looks for libraries before its own places, as its search patterns. Absent: nowhere. */
  readonly lua?: { readonly scripts: readonly string[]; readonly binaries: readonly string[] };
  readonly workers: number | 'auto';
  /** Account of the workers where the master is root. */
  readonly user?: string;
  readonly paths: {
    /** 0700: control socket, token, pid. */
    readonly run: string;
    /** Compiled data plane: `weir.lua` and its modules. */
    readonly dataplane: string;
    /** Bodies and answers that don't fit in memory. */
    readonly temp: string;
    readonly errorLog: string;
    readonly accessLog: string | 'off';
    readonly defaultCertificate: string;
    readonly defaultKey: string;
  };
  readonly errorLogLevel: 'error' | 'warn' | 'notice' | 'info';
  readonly workerConnections: number;
  /** Descriptors that a worker may have open. */
  readonly openFiles: number;
  /** Seconds that a worker of an earlier configuration may go on for its long connections. */
  readonly workerShutdownTimeout: number;
  readonly upstreamKeepAlive: {
    readonly connections: number;
    readonly requests: number;
    readonly timeoutSeconds: number;
  };
}

export interface RenderedConfiguration {
  /** Hash of the whole text: what the data plane calls `conf`. */
  readonly id: string;
  readonly tree: readonly Directive[];
  readonly text: string;
}
