import * as cjson from 'cjson.safe';
import { findBackend } from './backend-cache';
import { catchUp } from './change-log';
import { reply, replyText } from './control-reply';

interface EndpointState {
  endpoint: string;
  weight: number;
  draining: boolean;
  failures: number;
  /** Seconds that it is still passed over. */
  ejectedFor: number;
  active: number;
}

/** What the answering worker knows of a backend's endpoints; another one may know something else. */
export function sendEndpoints(id: string): void {
  catchUp();
  const backend = findBackend(id);
  if (backend === undefined) {
    replyText(404, 'There is no such backend.');
    return;
  }
  const states: EndpointState[] = [];
  for (const [, endpoint] of pairs(backend.endpoints)) {
    states.push({
      endpoint: endpoint.key,
      weight: endpoint.weight,
      draining: endpoint.draining,
      failures: endpoint.failures,
      ejectedFor: math.max(0, endpoint.ejectedUntil - ngx.now()),
      active: endpoint.active,
    });
  }
  const list = states.length > 0 ? cjson.encode(states) : '[]';
  reply(200, '{"pid":' + tostring(ngx.worker.pid()) + ',"endpoints":' + list + '}');
}
