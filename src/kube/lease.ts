import type { KubeObject } from './kube-object.ts';
import type { KubeResource } from './kube-resource.ts';

export const LEASES: KubeResource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};

/** coordination.k8s.io/v1 Lease, as far as an election reads and writes it. */
export interface Lease extends KubeObject {
  readonly spec?: {
    /** '' or absent: nobody holds it. */
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    /** MicroTime by the holder's clock. Nobody else's clock is compared with it. */
    readonly renewTime?: string;
    readonly acquireTime?: string;
    readonly leaseTransitions?: number;
    readonly [field: string]: unknown;
  };
}

/** What an election writes: `holder` '' gives the Lease back. */
export interface LeaseClaim {
  readonly holder: string;
  /** Milliseconds. */
  readonly duration: number;
  readonly date: Date;
}

/**
 * The Lease as it shall be written. All other fields stay as they are. The time of renewal grows with each write, even if the
 * clock stands still or goes back: a write that changes nothing would leave the resourceVersion as it was, and others would
 * take the holder for dead.
 */
export function claimedLease(before: Lease, { holder, duration, date }: LeaseClaim): Lease {
  const spec = before.spec ?? {};
  const now = Math.max(date.getTime() * 1000, microseconds(spec.renewTime) + 1);
  const changesHands = holder !== '' && spec.holderIdentity !== holder;
  return {
    ...before,
    spec: {
      ...spec,
      holderIdentity: holder,
      leaseDurationSeconds: Math.ceil(duration / 1000),
      renewTime: microTime(now),
      ...(changesHands || spec.acquireTime === undefined ? { acquireTime: microTime(now) } : {}),
      leaseTransitions: (spec.leaseTransitions ?? 0) + (changesHands && spec.holderIdentity !== undefined ? 1 : 0),
    },
  };
}

/** Microseconds since 1970; 0 for what is no time. */
function microseconds(text: string | undefined): number {
  const [, seconds, fraction = ''] = /^(.{19})(?:\.([0-9]+))?Z$/.exec(text ?? '') ?? [];
  const whole = Date.parse(`${seconds}Z`);
  return Number.isNaN(whole) ? 0 : whole * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

function microTime(time: number): string {
  const date = new Date(Math.floor(time / 1000)).toISOString();
  return `${date.slice(0, -1)}${String(time % 1000).padStart(3, '0')}Z`;
}
