import { block, directive, entry, variables } from './build-directive.ts';
import type { Directive } from './directive.ts';

/** A variable that is another one, or, where that is empty, a third. */
function either(target: string, first: string, otherwise: string): Directive {
  return block(
    'map',
    [variables(first), variables(target)],
    [directive('default', variables(first)), entry('', variables(otherwise))],
  );
}

/** Variables that follow from others, the same for every listener. Lua sets one of its own only where it must. */
export function sharedMaps(): readonly Directive[] {
  return [
    either('$weir_request_id', '$http_x_request_id', '$request_id'),
    // A request of HTTP/1.0 may have no Host header; one with a whole URL in its first line may have another.
    either('$weir_sent_host', '$http_host', '$host'),
    either('$weir_client_host', '$weir_authority', '$weir_sent_host'),
    either('$weir_upstream_host', '$weir_host', '$weir_client_host'),
    // An upgrade to HTTP/2 would let a client speak to the backend past the router.
    block(
      'map',
      [variables('$http_upgrade'), variables('$weir_upgrade')],
      [directive('default', variables('$http_upgrade')), entry('', ''), entry('~*h2c', '')],
    ),
    block(
      'map',
      [variables('$weir_upgrade'), variables('$weir_hop')],
      [directive('default', 'upgrade'), entry('', '')],
    ),
    either('$weir_connection_header', '$weir_connection', '$weir_hop'),
    // Three digits for a request without an answer or of HTTP/0.9 would be no number in JSON.
    block(
      'map',
      [variables('$status'), variables('$weir_status')],
      [directive('default', variables('$status')), entry('000', 0), entry('009', 9)],
    ),
    block('map', [variables('$weir_quiet'), variables('$weir_logged')], [directive('default', 1), entry('1', 0)]),
  ];
}
