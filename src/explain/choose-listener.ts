import { hostnameCandidates } from '../model/hostname.ts';
import type { L4Route } from '../model/l4-route.ts';
import type { Listener } from '../model/listener.ts';
import type { Model } from '../model/model.ts';
import { compareL4Routes, compareListeners } from '../model/order.ts';
import type { ExplainRequest, RequestTarget } from './request-target.ts';

export type ListenerChoice = { readonly listener: Listener; readonly note?: string } | { readonly refused: string };

/**
 * The listener that takes the connection: the one that was named; else by protocol and port and, where several share
 * the port, by name. A URL without a port finds the only port that is open for its scheme, with a note.
 */
export function chooseListener(model: Model, request: ExplainRequest, target: RequestTarget): ListenerChoice {
  const all = [...model.listeners.values()].sort(compareListeners);
  if (request.listener !== undefined) {
    const named = model.listeners.get(request.listener);
    if (named !== undefined) return { listener: named };
    return {
      refused: `No listener is called "${request.listener}"; there are ${all.map(({ name }) => name).join(', ') || 'none'}.`,
    };
  }
  const speaking = all.filter(({ protocol }) => protocol === target.scheme);
  const onPort = speaking.filter(({ port }) => port === target.port);
  if (onPort.length > 0) return byName(onPort, target);
  const [first] = speaking;
  if (target.portGiven || first === undefined) {
    const ports = [...new Set(speaking.map(({ port }) => port))].join(', ');
    return {
      refused: `No ${target.scheme} listener is on port ${target.port}; ${target.scheme} is served on ${ports || 'no port'}.`,
    };
  }
  const choice = byName(
    speaking.filter(({ port }) => port === first.port),
    target,
  );
  if ('refused' in choice) return choice;
  return {
    ...choice,
    note: `No ${target.scheme} listener is on port ${target.port}; this is explained for port ${first.port}.`,
  };
}

function byName(listeners: readonly Listener[], target: RequestTarget): ListenerChoice {
  const name = target.scheme === 'https' ? target.serverName : target.host;
  for (const candidate of hostnameCandidates(name)) {
    const found = listeners.find(({ hostname }) => (hostname ?? '*') === candidate);
    if (found !== undefined) return { listener: found };
  }
  const names = listeners.map(({ hostname }) => hostname).join(', ');
  return { refused: `The listeners of port ${listeners[0]?.port} are for ${names}, not for ${name}.` };
}

/** The TLS route that takes connections with this SNI name on that port before any host of https can, if there is one. */
export function passthroughRoute(
  model: Model,
  listener: Listener,
  target: RequestTarget,
  known: string | undefined,
): L4Route | undefined {
  if (target.scheme !== 'https') return undefined;
  const routes = [...model.l4Routes.values()]
    .filter((route) => {
      const own = model.listeners.get(route.listener);
      return route.tls === 'passthrough' && own?.protocol === 'tls' && own.port === listener.port;
    })
    .sort(compareL4Routes);
  for (const candidate of hostnameCandidates(target.serverName)) {
    const found = routes.find(({ serverNames }) =>
      (serverNames.length === 0 ? ['*'] : serverNames).includes(candidate),
    );
    if (found !== undefined) return found;
    // From here on the host of https is the more specific one.
    if (candidate === known) return undefined;
  }
  return undefined;
}
