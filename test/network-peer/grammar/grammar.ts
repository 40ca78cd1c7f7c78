import type { Way } from '../journal.ts';
import { children, type Stanza } from '../stanza.ts';
import { isExcused, NOT_FOLLOWED } from './apart.ts';
import { type ErrorArm, type GrammarFiles, grammarFiles, type Question, type WrittenPart, type WrittenStanza } from './files.ts';
import { bestFormFaults, Marks } from './read.ts';
import { nearest, writtenFaults } from './written.ts';

/** The faults of a stanza; null if the grammar does not cover this kind of stanza. */
type Verdict = readonly string[] | null;

const IQ: readonly string[] = ['id', 'xmlns', 'type', 'to'];
const MOST_ASKED = 1_000;

/**
 * Checks stanzas against the web client's grammar: client stanzas against its builders, server stanzas against its
 * parsers. A response is checked against the parser of its query, so the queries of each connection are remembered.
 */
export class Grammar {
  readonly #files: GrammarFiles = grammarFiles();
  readonly #asked = new Map<string, Stanza>();

  /** Returns the faults of a stanza, one per line: `up message enc: not known`. */
  check(line: string, way: Way, stanza: Stanza): readonly string[] {
    const faults = this.#verdict(line, way, stanza) ?? [`${kindOf(stanza)}: not described`];
    return faults.map((fault) => `${way} ${fault}`);
  }

  #verdict(line: string, way: Way, stanza: Stanza): Verdict {
    if (stanza.tag === 'iq') return this.#iq(line, way, stanza);
    return way === 'up' ? this.#written(stanza) : this.#read(stanza);
  }

  #iq(line: string, way: Way, iq: Stanza): Verdict {
    const id = `${line} ${iq.attrs['id']}`;
    const isQuestion = iq.attrs['type'] === 'get' || iq.attrs['type'] === 'set';
    if (way === 'up' && isQuestion) {
      this.#remember(id, iq);
      return this.#question(iq)?.faults ?? null;
    }
    if (way === 'up' || isQuestion) return null;
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked ? this.#answer(iq, asked) : [];
  }

  #remember(id: string, iq: Stanza): void {
    this.#asked.set(id, iq);
    for (const oldest of this.#asked.keys()) {
      if (this.#asked.size <= MOST_ASKED) return;
      this.#asked.delete(oldest);
    }
  }

  /** Returns the known queries that are most similar to this one, and the faults of the best match. */
  #question(iq: Stanza): { readonly faults: readonly string[]; readonly questions: readonly Question[] } | null {
    const all = this.#files.questions.filter((one) => one.namespace === iq.attrs['xmlns'] && one.iqType === iq.attrs['type']);
    const tags = new Set(children(iq).map(({ tag }) => tag));
    const fitting = all.filter(({ request }) => request.children.some(({ tag = '' }) => tags.has(tag)));
    const plain = all.filter(({ request }) => request.children.length === 0 && (tags.size === 0 || all.length === 1));
    const bare = plain.length === 0 && tags.size === 0 ? all : plain;
    const candidates = fitting.length > 0 ? fitting : bare;
    const { xmlns } = iq.attrs;
    const attrs = IQ.map((name) => ({ name, kind: 'dynamic', required: false }));
    const faultsOf = ({ request }: Question) => writtenFaults(iq, { attrs, children: request.children }, `iq ${xmlns}`);
    const best = nearest(candidates, faultsOf);
    if (!best) return null;
    return { faults: best.faults, questions: candidates.filter((one) => faultsOf(one).length === best.faults.length) };
  }

  /** Checks a response. A malformed query has already been reported, so its response counts as unknown. */
  #answer(iq: Stanza, asked: Stanza): readonly string[] {
    const known = this.#question(asked);
    if (!known || known.faults.some((fault) => !isExcused(`up ${fault}`))) return [];
    const path = `iq ${asked.attrs['xmlns']}`;
    if (iq.attrs['type'] === 'error') return errorFaults(iq, known.questions, path);
    const forms = known.questions.flatMap(({ response }) =>
      [...(response.variants ?? [response])].filter(({ kind }) => !kind || kind === 'success'),
    );
    const marks = new Marks();
    for (const name of ['id', 'from', 'type', 't']) marks.add(iq, `@${name}`);
    const faults = bestFormFaults(iq, forms, marks, path);
    return [...faults, ...marks.unread(iq, path)];
  }

  #written(stanza: Stanza): Verdict {
    const all = this.#files.written.filter(({ stanzaType, moduleName }) => stanzaType === stanza.tag && !INSIDE_REPORTS.test(moduleName));
    const isChannel = stanza.attrs['to']?.endsWith('@newsletter') ?? false;
    const whole = all.filter(
      ({ fragment, moduleName }) => !fragment && (stanza.tag !== 'message' || /Newsletter/.test(moduleName) === isChannel),
    );
    const merged = whole.map((one) => withMore(withFragments(one, all), one.moduleName));
    return nearest(merged, (part) => [...writtenFaults(stanza, part, stanza.tag), ...strangers(stanza, part)])?.faults ?? null;
  }

  #read(stanza: Stanza): Verdict {
    const forms = this.#files.read.filter(({ tag }) => tag === stanza.tag);
    if (forms.length === 0) return null;
    const marks = new Marks();
    const faults = bestFormFaults(
      stanza,
      forms.map(({ shape }) => shape),
      marks,
      stanza.tag,
    );
    return [...faults, ...marks.unread(stanza, stanza.tag)];
  }
}

/** Modules with messages and calls that are embedded in spam reports. */
const INSIDE_REPORTS = /^WASmaxOutSpam/;

/** If no children are described for a stanza, every child counts as unknown. */
const strangers = (stanza: Stanza, { children: parts = [], variantGroups = [] }: WrittenPart): readonly string[] =>
  parts.length > 0 || variantGroups.some(({ variants }) => variants.some((variant) => (variant.children ?? []).length > 0))
    ? []
    : children(stanza).map(({ tag }) => `${stanza.tag} ${tag}: not known`);

/** Merges the fragments of the same module family into a request. */
function withFragments(whole: WrittenStanza, all: readonly WrittenStanza[]): WrittenPart {
  const family = /^(WASmaxOut[A-Z][a-z]+(?:Publish|Deliver)?)/.exec(whole.moduleName)?.[1];
  const fragments = family ? all.filter(({ fragment, moduleName }) => fragment && moduleName.startsWith(family)) : [];
  return { ...whole, variantGroups: [{ variants: fragments }] };
}

function errorFaults(iq: Stanza, questions: readonly Question[], path: string): readonly string[] {
  const [error] = children(iq, 'error');
  const { code = '', text = '' } = error?.attrs ?? {};
  if (!/^\d+$/.test(code) || text === '') return [`${path}: an error without a code or a text`];
  const arms = questions.flatMap(({ response }) => (response.variants ?? []).flatMap(({ errorArms = [] }) => errorArms));
  return arms.length === 0 || arms.some((arm) => isOf(arm, Number(code), text))
    ? []
    : [`${path}: error ${code} ${text} is none that it has`];
}

const isOf = (arm: ErrorArm, code: number, text: string): boolean =>
  arm.code === undefined ? code >= (arm.codeMin ?? 0) && code <= (arm.codeMax ?? 0) : arm.code === code && (arm.text ?? text) === text;

function withMore(part: WrittenPart, moduleName: string): WrittenPart {
  const more = NOT_FOLLOWED.filter(({ modules }) => modules.includes(moduleName)).flatMap(({ children: found }) => found);
  return { ...part, children: [...(part.children ?? []), ...more] };
}

/** Returns the kind of a stanza: `iq w:g2 set leave`, `notification`. */
function kindOf(stanza: Stanza): string {
  const { xmlns, type } = stanza.attrs;
  return stanza.tag === 'iq' ? ['iq', xmlns, type, children(stanza)[0]?.tag].filter(Boolean).join(' ') : stanza.tag;
}
