import { compareAges, compareOrigins } from '../../../model/order.ts';
import type { Origin } from '../../../model/origin.ts';
import type { Route } from '../../../model/route.ts';
import type { Profile } from '../conf/profile.ts';
import type { RouteRecord } from '../wire.ts';
import { closeRoute } from './close-route.ts';
import { closingPaths } from './closing-paths.ts';

/** A route as it stands in its host's record. */
export interface RoutePiece {
  readonly route: Route;
  readonly record: RouteRecord;
  /** As for `RenderedRoute`. */
  readonly standsIn: boolean;
  readonly profiles: readonly Profile[];
}

/** What an object has to bear because its host takes too much room. */
export interface Surplus {
  readonly origin: Origin;
  readonly closed: number;
  readonly routes: number;
}

export interface FittedRoutes {
  /** In the order of the routes. */
  readonly pieces: readonly RoutePiece[];
  readonly surplus: readonly Surplus[];
}

/** The most bytes that may be taken by what closes the paths of left-out routes. */
const CLOSING_ROOM = 65_536;

/**
 * Routes that take at most `room` bytes. The surplus is borne by the objects that brought it last: the youngest first;
 * of one age, those of the namespace that takes most, and of these the largest. (Objects in files have no age.) So
 * nobody's routes are lost to what another adds later. Such an object's routes are closed, those that it lists last
 * first. Where that isn't enough, all of them are left out, and their paths are closed by as few beginnings as needed:
 * what a route was to take, with what protects it, never falls to a less exact one.
 */
export function fitRoutes(pieces: readonly RoutePiece[], room: number): FittedRoutes {
  const sizes = pieces.map(({ record }) => bytesOf(record));
  let excess = sizes.reduce((sum, size) => sum + size, 0) - room;
  if (excess <= 0) return { pieces, surplus: [] };
  const replaced = new Map<number, RoutePiece>();
  const left: number[] = [];
  const surplus: Surplus[] = [];
  const isClosable = closability(pieces);
  for (const { places } of bearers(pieces, sizes)) {
    if (excess <= 0 && isClosable(left, -excess)) break;
    const { origin } = pieces[places[0]!]!.route;
    const closings = places.map((place) => closed(pieces[place]!));
    const gains = places.map((place, index) => Math.max(0, sizes[place]! - bytesOf(closings[index]!.record)));
    let missing = excess + (left.length === 0 ? 0 : CLOSING_ROOM);
    if (gains.reduce((sum, gain) => sum + gain, 0) < missing) {
      for (const place of places) excess -= sizes[place]!;
      left.push(...places);
      surplus.push({ origin, closed: places.length, routes: places.length });
      continue;
    }
    let count = 0;
    for (let index = places.length - 1; index >= 0 && missing > 0; index -= 1) {
      if (gains[index] === 0) continue;
      replaced.set(places[index]!, closings[index]!);
      missing -= gains[index]!;
      excess -= gains[index]!;
      count += 1;
    }
    surplus.push({ origin, closed: count, routes: places.length });
    break;
  }
  const closings = closeLeftOut(pieces, left, -excess).pieces;
  const gone = new Set(left);
  const fitted = pieces.flatMap((piece, place) => {
    if (gone.has(place)) return closings.get(place) ?? [];
    return replaced.get(place) ?? piece;
  });
  return { pieces: fitted, surplus };
}

interface Bearer {
  readonly namespace: string;
  readonly created: string | undefined;
  /** Of its routes, in the order in which the object lists them. */
  readonly places: readonly number[];
  readonly bytes: number;
}

/** The objects that routes come from, in the order in which they bear the surplus. */
function bearers(pieces: readonly RoutePiece[], sizes: readonly number[]): readonly Bearer[] {
  const objects = new Map<string, number[]>();
  const ofNamespace = new Map<string, number>();
  for (const [place, { route }] of pieces.entries()) {
    const { kind, namespace, name } = route.origin.object;
    const key = JSON.stringify([kind, namespace, name]);
    const places = objects.get(key);
    if (places === undefined) objects.set(key, [place]);
    else places.push(place);
    ofNamespace.set(namespace, (ofNamespace.get(namespace) ?? 0) + sizes[place]!);
  }
  const origin = (place: number) => pieces[place]!.route.origin;
  const list = [...objects.values()].map((places): Bearer => {
    const [first = 0] = places.sort((a, b) => compareOrigins(origin(a), origin(b)) || a - b);
    const { created } = pieces[first]!.route;
    const bytes = places.reduce((sum, place) => sum + sizes[place]!, 0);
    return { namespace: origin(first).object.namespace, created, places, bytes };
  });
  return list.sort(
    (a, b) =>
      compareAges(b.created, a.created) ||
      (ofNamespace.get(b.namespace) ?? 0) - (ofNamespace.get(a.namespace) ?? 0) ||
      b.bytes - a.bytes ||
      compareOrigins(origin(b.places[0]!), origin(a.places[0]!)),
  );
}

/**
 * Whether what was left out can be closed within so many bytes. It isn't looked at again before there is twice the room:
 * of very many small objects each would cost a look.
 */
function closability(pieces: readonly RoutePiece[]): (left: readonly number[], room: number) => boolean {
  let next = 0;
  return (left, room) => {
    if (left.length === 0 || room >= CLOSING_ROOM) return true;
    if (room < next || !closeLeftOut(pieces, left, room).complete) {
      next = Math.max(next, Math.min(room * 2, CLOSING_ROOM), 512);
      return false;
    }
    return true;
  };
}

interface ClosedPaths {
  /** By the place of the first route that each stands for. */
  readonly pieces: ReadonlyMap<number, RoutePiece>;
  readonly complete: boolean;
}

function closeLeftOut(pieces: readonly RoutePiece[], left: readonly number[], room: number): ClosedPaths {
  const places = [...left].sort((a, b) => a - b);
  const record = (path: RouteRecord['path'], index: number): RouteRecord =>
    closeRoute({ origin: pieces[places[index]!]!.record.origin, path }, REASON);
  const { closings, complete } = closingPaths(
    places.map((place) => pieces[place]!.record.path),
    (path, index) => bytesOf(record(path, index)),
    Math.min(room, CLOSING_ROOM),
  );
  const made = [...closings].map(([index, path]): [number, RoutePiece] => {
    const place = places[index]!;
    return [place, { route: pieces[place]!.route, record: record(path, index), standsIn: true, profiles: [] }];
  });
  return { pieces: new Map(made), complete };
}

function closed(piece: RoutePiece): RoutePiece {
  return { ...piece, record: closeRoute(piece.record, REASON), profiles: [] };
}

/** In the host's record: with the comma behind it. */
function bytesOf(record: RouteRecord): number {
  return Buffer.byteLength(JSON.stringify(record)) + 1;
}

const REASON = 'This host has too many routes.';
