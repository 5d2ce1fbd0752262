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
    // Set for a request without a Host header, as HTTP/1.0 allows, or with another than its first line names.
    either('$weir_client_host', '$weir_authority', '$http_host'),
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
    either('$weir_other_connection', '$weir_connection', '$weir_hop'),
    // Nearly every request has neither, and is done with one look.
    block(
      'map',
      [variables('$weir_connection$http_upgrade'), variables('$weir_connection_header')],
      [directive('default', variables('$weir_other_connection')), entry('', '')],
    ),
    // Three digits for a request without an answer or of HTTP/0.9 would be no number in JSON.
    block(
      'map',
      [variables('$status'), variables('$weir_status')],
      [directive('default', variables('$status')), entry('000', 0), entry('009', 9)],
    ),
    block('map', [variables('$weir_quiet'), variables('$weir_logged')], [directive('default', 1), entry('1', 0)]),
  ];
}
