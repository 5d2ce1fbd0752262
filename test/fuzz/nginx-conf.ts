/** One argument as nginx reads it, and whether it stood in quotes. */
export interface Word {
  readonly text: string;
  readonly quoted: boolean;
}

export interface Node {
  readonly words: readonly Word[];
  readonly children?: readonly Node[];
  /** What stands between the braces of a `…_by_lua_block`. */
  readonly lua?: string;
}

/**
 * Reads nginx.conf as nginx does (ngx_conf_read_token and, for Lua blocks, the bracket counting of lua-nginx-module), with
 * nothing of weir's. Throws where nginx would.
 */
export function parseNginxConf(text: string): readonly Node[] {
  const reader = new Reader(text);
  const nodes = reader.block();
  if (!reader.atEnd) throw new Error(`a closing brace too many at ${reader.place}`);
  return nodes;
}

const SPACE = /[ \t\r\n]/;
const END_OF_LUA_STRING: Readonly<Record<string, string>> = { '"': '"', "'": "'" };

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  get place(): string {
    return `line ${this.#text.slice(0, this.#at).split('\n').length}`;
  }

  /** Directives up to the closing brace, which is left, or the end. */
  block(): Node[] {
    const nodes: Node[] = [];
    for (;;) {
      this.#skip();
      if (this.atEnd || this.#text[this.#at] === '}') return nodes;
      nodes.push(this.#node());
    }
  }

  #node(): Node {
    const words: Word[] = [];
    for (;;) {
      this.#skip();
      const character = this.#text[this.#at];
      if (character === undefined) throw new Error(`the file ends in a directive: ${words[0]?.text}`);
      if (character === '}') throw new Error(`unexpected } at ${this.place}`);
      if (character === ';') {
        this.#at += 1;
        return { words };
      }
      if (character === '{') {
        this.#at += 1;
        if (words[0]?.text.endsWith('_by_lua_block') === true) return { words, lua: this.#lua() };
        const children = this.block();
        if (this.atEnd) throw new Error(`a block isn't closed: ${words[0]?.text}`);
        this.#at += 1;
        return { words, children };
      }
      words.push(this.#word());
    }
  }

  #skip(): void {
    for (;;) {
      while (!this.atEnd && SPACE.test(this.#text[this.#at]!)) this.#at += 1;
      if (this.#text[this.#at] !== '#') return;
      while (!this.atEnd && this.#text[this.#at] !== '\n') this.#at += 1;
    }
  }

  #word(): Word {
    const quote = this.#text[this.#at]!;
    if (quote !== '"' && quote !== "'") return { text: this.#bare(), quoted: false };
    this.#at += 1;
    let text = '';
    for (;;) {
      const character = this.#text[this.#at];
      if (character === undefined) throw new Error('a quote is not closed');
      this.#at += 1;
      if (character === quote) break;
      text += character === '\\' ? this.#escaped() : character;
    }
    const next = this.#text[this.#at];
    if (next === undefined || !/[ \t\r\n;{)]/.test(next)) throw new Error(`unexpected ${next} at ${this.place}`);
    return { text, quoted: true };
  }

  #bare(): string {
    let text = '';
    while (!this.atEnd) {
      const character = this.#text[this.#at]!;
      if (SPACE.test(character) || character === ';') break;
      if (character === '{' && !text.endsWith('$')) break;
      this.#at += 1;
      text += character === '\\' ? this.#escaped() : character;
    }
    return text;
  }

  #escaped(): string {
    const character = this.#text[this.#at] ?? '';
    this.#at += 1;
    switch (character) {
      case '"':
      case "'":
      case '\\':
        return character;
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'n':
        return '\n';
      default:
        return `\\${character}`;
    }
  }

  /** Braces are counted outside of Lua's strings, long strings and comments. */
  #lua(): string {
    const start = this.#at;
    for (let depth = 1; depth > 0; ) {
      const character = this.#text[this.#at];
      if (character === undefined) throw new Error('a Lua block is not closed');
      const long = /^(?:--)?\[(=*)\[/.exec(this.#text.slice(this.#at, this.#at + 64));
      if (long !== null) {
        const end = this.#text.indexOf(`]${long[1]}]`, this.#at);
        if (end < 0) throw new Error('a long bracket is not closed');
        this.#at = end + long[1]!.length + 2;
      } else if (this.#text.startsWith('--', this.#at)) {
        const end = this.#text.indexOf('\n', this.#at);
        this.#at = end < 0 ? this.#text.length : end;
      } else if (END_OF_LUA_STRING[character] !== undefined) {
        for (this.#at += 1; this.#text[this.#at] !== character; this.#at += 1) {
          if (this.#text[this.#at] === undefined) throw new Error('a Lua string is not closed');
          if (this.#text[this.#at] === '\\') this.#at += 1;
        }
        this.#at += 1;
      } else {
        depth += character === '{' ? 1 : character === '}' ? -1 : 0;
        this.#at += 1;
      }
    }
    return this.#text.slice(start, this.#at - 1).trim();
  }
}
