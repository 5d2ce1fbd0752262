import type { HeaderChangeRecord } from '../wire';
import { asItIs } from './escape';
import { requestHeaders } from './header-text';
import { rewritePath, rewriteQuery, type PathRewrite } from './path-rewrite';
import type { Route } from './route';

function setPath(rewrite: PathRewrite, route: Route, path: string, captures: RegexCaptures | undefined): void {
  const target = rewritePath(rewrite, path, route.prefixLength, captures, asItIs);
  const query = rewriteQuery(rewrite, ngx.var.args, captures);
  // Binary: nginx escapes the path once more on its way to the backend, exactly as after a `rewrite … break`.
  ngx.req.set_uri(target, false, true);
  if (query !== undefined) {
    ngx.req.set_uri_args(query);
  }
}

function changeHeaders(change: HeaderChangeRecord): void {
  for (const name of change.remove ?? []) {
    ngx.req.clear_header(name);
  }
  for (const [name, value] of change.set ?? []) {
    if (string.lower(name) === 'host') {
      ngx.var.weir_host = value;
    } else {
      ngx.req.set_header(name, value);
    }
  }
  for (const [name, value] of change.add ?? []) {
    const present = requestHeaders().get(string.lower(name));
    if (present === undefined) {
      ngx.req.set_header(name, value);
    } else if (typeof present === 'string') {
      ngx.req.set_header(name, [present, value]);
    } else {
      present.push(value);
      ngx.req.set_header(name, present);
    }
  }
}

/** What a route changes in a request on its way to the backend. */
export function changeRequest(route: Route, path: string, captures: RegexCaptures | undefined): void {
  const { record, rewrite } = route;
  if (rewrite !== undefined) {
    setPath(rewrite, route, path, captures);
  }
  if (record.host !== undefined) {
    ngx.var.weir_host = record.host;
  }
  if (record.forwardedPrefix !== undefined) {
    ngx.var.weir_prefix = record.forwardedPrefix;
  }
  if (record.connection !== undefined) {
    ngx.var.weir_connection = record.connection;
  }
  if (record.requestHeaders !== undefined) {
    changeHeaders(record.requestHeaders);
  }
}
