import Type, { type Static, type TSchema } from 'typebox';

const MOST = 10_000;

/** Query parameters of every list. */
export const PageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: MOST, default: 100, description: 'Most items to answer.' }),
  offset: Type.Integer({ minimum: 0, default: 0, description: 'Items to leave out at the beginning.' }),
});
export type PageQuery = Readonly<Static<typeof PageQuery>>;

/** A part of a list: `total` is the number of items that match, in all. */
export const Page = <Item extends TSchema>(item: Item) =>
  Type.Object({ total: Type.Integer(), offset: Type.Integer(), limit: Type.Integer(), items: Type.Array(item) });

export function pageOf<Item>(items: readonly Item[], { limit, offset }: PageQuery) {
  return { total: items.length, offset, limit, items: items.slice(offset, offset + limit) };
}
