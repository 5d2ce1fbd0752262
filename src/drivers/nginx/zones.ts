import type { ConfigurationInput, Zone } from './conf/configuration.ts';

export type Zones = ConfigurationInput['zones'];

const MEBIBYTE = 1_048_576;
const LARGEST = 1024 * MEBIBYTE;

/** Bytes: 10,000 hosts with backends take 15 MiB, 1,000 certificates 8 MiB. */
export function defaultZones(
  bytes: { readonly data?: number; readonly certificates?: number; readonly counters?: number } = {},
): Zones {
  return {
    data: zone('data', bytes.data ?? 64 * MEBIBYTE),
    certificates: zone('certificates', bytes.certificates ?? 32 * MEBIBYTE),
    counters: zone('counters', bytes.counters ?? 16 * MEBIBYTE),
  };
}

/** Twice the room for records; undefined where that would be more than 1 GiB each. */
export function largerZones(zones: Zones): Zones | undefined {
  if (zones.data.bytes * 2 > LARGEST || zones.certificates.bytes * 2 > LARGEST) return undefined;
  return {
    data: zone('data', zones.data.bytes * 2),
    certificates: zone('certificates', zones.certificates.bytes * 2),
    counters: zones.counters,
  };
}

/** The larger of each: what nginx has grown to stays, what an operator asks for counts from the next start of weir. */
export function largestZones(a: Zones, b: Zones): Zones {
  const larger = (x: Zone, y: Zone) => (x.bytes >= y.bytes ? x : y);
  return {
    data: larger(a.data, b.data),
    certificates: larger(a.certificates, b.certificates),
    counters: larger(a.counters, b.counters),
  };
}

/** The size is part of the name: nginx empties a zone whose size changes, but one with a new name it fills from the former. */
function zone(purpose: string, bytes: number): Zone {
  return { name: `weir_${purpose}_${Math.ceil(bytes / 1024)}k`, bytes };
}
