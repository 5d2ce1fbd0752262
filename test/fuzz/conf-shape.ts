import { type Node, parseNginxConf } from './nginx-conf.ts';

/** What a configuration consists of, whatever values stand in it: learnt from harmless objects, then held against others. */
export class ConfShape {
  /** By place in the tree (`http/server/location`) and directive with its number of arguments: the most often in one block. */
  readonly #directives = new Map<string, number>();
  readonly #lua = new Set<string>();

  get size(): number {
    return this.#directives.size;
  }

  learn(text: string): void {
    for (const [block, count] of countDirectives(parseNginxConf(text))) {
      this.#directives.set(block, Math.max(count, this.#directives.get(block) ?? 0));
    }
    for (const code of luaOf(parseNginxConf(text))) this.#lua.add(code);
  }

  /** One sentence for each thing that no harmless configuration has. */
  strangers(text: string): readonly string[] {
    const tree = parseNginxConf(text);
    const counts = [...countDirectives(tree)].flatMap(([directive, count]) => {
      const known = this.#directives.get(directive);
      if (known === undefined) return [`${directive} stands in no harmless configuration`];
      return count > known && !MANY.test(directive) ? [`${directive} stands there ${count} times, not ${known}`] : [];
    });
    const lua = luaOf(tree).filter((code) => !this.#lua.has(code));
    return [...counts, ...lua.map((code) => `foreign Lua: ${code.slice(0, 200)}`), ...bareWords(tree)];
  }
}

/** As many as there are combinations of settings in use. */
const MANY = /^http(?:\/server)? (?:location|upstream|map)\/\d+$/;

function countDirectives(nodes: readonly Node[], parent = ''): Map<string, number> {
  const most = new Map<string, number>();
  const here = new Map<string, number>();
  for (const { words, children } of nodes) {
    const entries = /(?:^|\/)(?:map|geo)$/.test(parent);
    const name = entries && !['default', 'hostnames'].includes(words[0]?.text ?? '') ? '' : words[0]?.text;
    const key = `${parent} ${name}/${words.length - 1}`;
    here.set(key, (here.get(key) ?? 0) + 1);
    const below = countDirectives(children ?? [], parent === '' ? (name ?? '') : `${parent}/${name}`);
    for (const [inner, count] of below) most.set(inner, Math.max(count, most.get(inner) ?? 0));
  }
  return new Map([...most, ...here]);
}

const LITERAL = /"(?:[A-Za-z0-9_./:-]|\\\d{3})*"/g;

/** Literals aside: each must be of the few characters that can't end it. A list of them may have any length. */
function luaOf(nodes: readonly Node[]): readonly string[] {
  return nodes.flatMap(({ lua, children }) => [
    ...(lua === undefined ? [] : [lua.replaceAll(LITERAL, '"…"').replaceAll(/\{ "…"(?:, "…")* \}/g, '{ "…" }')]),
    ...luaOf(children ?? []),
  ]);
}

/** Only names of directives may stand without quotes. */
function bareWords(nodes: readonly Node[], inMap = false): readonly string[] {
  return nodes.flatMap(({ words, children }) => [
    ...words
      .slice(1)
      .filter(({ quoted }) => !quoted)
      .map(({ text }) => `${words[0]?.text} has an argument without quotes: ${text.slice(0, 80)}`),
    ...(inMap || /^[a-z][a-z0-9_]*$/.test(words[0]?.text ?? '')
      ? []
      : [`no directive: ${words[0]?.text.slice(0, 80)}`]),
    ...bareWords(children ?? [], ['map', 'geo'].includes(words[0]?.text ?? '')),
  ]);
}
