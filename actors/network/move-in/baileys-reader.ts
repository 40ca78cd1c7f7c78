import { userOf } from '../jid.ts';
import type { Credentials } from '../port.ts';
import { IGNORED_KINDS, type LoginParts } from './baileys-records.ts';
import type { AdoptedSecret, LoginReader, LoginRecord, ReadLogin, Taken, TakenBack, Why } from './login-reader.ts';
import { revived, TooDeep } from './revive.ts';

export interface JudgedLogin {
  readonly me: { readonly id: string; readonly lid?: string };
  readonly linkedAt: number | null;
  readonly credentials: Credentials;
  readonly creds: unknown;
}

export interface BaileysOptions extends Pick<LoginParts, 'kinds'> {
  judge(creds: unknown): JudgedLogin | null;
  readonly encode: ((kind: string, value: unknown) => string) | null;
}

/** Maximum number of records. A login with 5,000 contacts has about 25,000. */
const MAX_RECORDS = 100_000;
const CREDS = 'creds';
const MAPPING = 'lid-mapping';
const REVERSE = '_reverse';
/** The parts of the name of a session or a group key before and after its user. */
const NAMED = /^(session\/|sender-key\/.+::)(\d+)(\.|::)(\d+)$/;
const HIDDEN = /^(?:session\/|sender-key\/.+::)\d+_1(?:\.|::)/;

/** Baileys' format is also used by Evolution, WAHA NOWEB and fazer; whatsmeow's records are translated into it. */
export class BaileysReader implements LoginReader {
  readonly #options: BaileysOptions;
  readonly #seen = new Set<string>();
  readonly #secrets: AdoptedSecret[] = [];
  readonly #mappings = new Map<string, string>();
  #login: JudgedLogin | null = null;

  constructor(options: BaileysOptions) {
    this.#options = options;
  }

  take({ kind, id, value }: LoginRecord): Taken {
    if (IGNORED_KINDS.has(kind)) return 'ignored';
    // Ignore this record. It is a list of all tokens, which our driver does not store.
    if (kind === 'tctoken' && id === '__index') return 'ignored';
    if (kind !== CREDS && !Object.hasOwn(this.#options.kinds, kind)) return 'unknown_kind';
    const name = `${kind}/${id}`;
    if (this.#seen.has(name)) return 'duplicate';
    if (this.#seen.size >= MAX_RECORDS) return 'too_many';
    const taken = this.#judged(kind, id, value);
    if (taken === 'accepted') this.#seen.add(name);
    return taken;
  }

  finish(): { readonly login: ReadLogin | null; readonly takenBack: readonly TakenBack[] } {
    const takenBack = this.#pairUp();
    const login = this.#login;
    if (!login) return { login: null, takenBack };
    const { me, linkedAt, credentials, creds } = login;
    const { encode } = this.#options;
    const own = encode ? [{ name: `${CREDS}/${CREDS}`, text: encode(CREDS, creds) }] : [];
    const lid = userOf(me.lid);
    return {
      takenBack,
      login: {
        ...{ credentials, linkedAt, phone: userOf(me.id) ?? '', lid: lid === undefined ? null : `${lid}@lid` },
        secrets: [...own, ...this.#secrets, ...this.#alsoHidden()],
      },
    };
  }

  #judged(kind: string, id: string, value: unknown): Taken {
    let plain: unknown;
    try {
      plain = revived(value);
    } catch (cause) {
      return cause instanceof TooDeep ? 'too_deep' : 'bad_value';
    }
    if (kind === CREDS) return this.#takeCreds(id, plain);
    const known = this.#options.kinds[kind];
    if (!known?.id.test(id)) return 'bad_id';
    const read = known.read(plain);
    if (read === null) return 'bad_value';
    if (kind === MAPPING) this.#mappings.set(id, String(read));
    else this.#keep(kind, id, read);
    return 'accepted';
  }

  #takeCreds(id: string, value: unknown): Taken {
    if (id !== CREDS) return 'bad_id';
    this.#login = this.#options.judge(value);
    return this.#login ? 'accepted' : 'bad_value';
  }

  #keep(kind: string, id: string, value: unknown): void {
    const { encode } = this.#options;
    if (encode) this.#secrets.push({ name: `${kind}/${id}`, text: encode(kind, value) });
  }

  /**
   * Baileys 6 gives hidden addresses the same names as numbers. The reader cannot tell which one a
   * session belongs to, so it stores the session under both names.
   */
  #alsoHidden(): readonly AdoptedSecret[] {
    if (this.#secrets.some(({ name }) => HIDDEN.test(name))) return [];
    return this.#secrets.flatMap(({ name, text }) => {
      const hidden = name.replace(NAMED, '$1$2_1$3$4');
      return hidden === name ? [] : [{ name: hidden, text }];
    });
  }

  /** Drops a mapping between a number and a hidden address unless the reverse mapping agrees. */
  #pairUp(): readonly TakenBack[] {
    const takenBack: TakenBack[] = [];
    for (const [id, user] of this.#mappings) {
      const other = id.endsWith(REVERSE) ? user : `${user}${REVERSE}`;
      const own = id.endsWith(REVERSE) ? id.slice(0, -REVERSE.length) : id;
      if (this.#mappings.get(other) === own) this.#keep(MAPPING, id, user);
      else takenBack.push({ kind: MAPPING, id, why: 'contradiction' satisfies Why });
    }
    return takenBack;
  }
}
