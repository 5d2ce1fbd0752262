import { SPREAD_GROUP, SPREAD_GROUPS } from '../wire.ts';
import type { NginxSettings } from './configuration.ts';
import type { Directive } from './directive.ts';
import { upstreamBlock } from './upstream-block.ts';

/** The rest is left for clients and for requests under way: nginx can't close a backend's idle connection to make room. */
const SHARE_KEPT_IDLE = 5 / 8;

/**
 * Groups of plain http that a worker with many backends spreads them over. nginx looks through all idle connections of a
 * group for one to the wanted address: with thousands in one group that costs more than the request, and with few there
 * is none when a backend's turn comes again.
 */
export function spreadGroups(settings: NginxSettings): readonly Directive[] {
  const { upstreamKeepAlive, workerConnections, openFiles } = settings;
  if (upstreamKeepAlive.connections === 0) return [];
  const most = Math.floor((Math.min(workerConnections, openFiles) * SHARE_KEPT_IDLE) / SPREAD_GROUPS);
  const connections = Math.max(1, Math.min(upstreamKeepAlive.connections, most));
  return Array.from({ length: SPREAD_GROUPS }, (_, index) =>
    upstreamBlock(`${index}${SPREAD_GROUP}`, { ...upstreamKeepAlive, connections }),
  );
}
