import { type SafeText, safeText } from '../../../../runtime/safe-text.ts';
import { Postings, type Surroundings, type Weighted } from './postings.ts';
import { impliedBy, type Terms, termsOf } from './terms.ts';
import { fused, type Vector } from './vectors.ts';
import { linesOf } from './word-lists.ts';
import { TYPICAL_QUESTIONS } from './words/typical-questions.ts';

export interface AnswerUnit {
  readonly kind: 'answer';
  readonly id: string;
  readonly questions: readonly SafeText[];
  readonly text: SafeText;
  /** The document whose table contains the question; absent for a saved answer. */
  readonly document?: string;
}

export interface PassageUnit {
  readonly kind: 'document';
  readonly id: string;
  readonly name: string;
  readonly heading: string;
  readonly text: SafeText;
  /** Absent if the vector was not computed or the document's vectors are incomplete. */
  readonly vector?: Vector;
}

export type Unit = AnswerUnit | PassageUnit;

export interface Hit {
  readonly unit: Unit;
  /** Share of the question's weight that the answer or passage covers, from 0 to 1. */
  readonly score: number;
  /** BM25 over stems and 4-grams, each scaled to its maximum. Answers and passages are sorted by rank. */
  readonly rank: number;
}

interface Entry {
  readonly unit: Unit;
  readonly asks: ReadonlySet<string>;
}

/** Words in a saved question weigh more, because a text mentions much that it does not answer. */
const QUESTION_WEIGHT = 1.6;
const ANSWER_TEXT_WEIGHT = 0.7;
const HEADING_WEIGHT = 1.2;
const IMPLIED_WEIGHT = 0.5;

const AROUND = aroundOf(linesOf(TYPICAL_QUESTIONS).map((line) => termsOf(safeText(line))));

function aroundOf(all: readonly Terms[]): { readonly stems: Surroundings; readonly grams: Surroundings } {
  const counted = (lists: readonly (readonly string[])[]): Surroundings => {
    const having = new Map<string, number>();
    for (const term of lists.flatMap((list) => [...new Set(list)])) having.set(term, (having.get(term) ?? 0) + 1);
    return { count: lists.length, having };
  };
  return { stems: counted(all.map(({ stems }) => stems)), grams: counted(all.map(({ grams }) => grams)) };
}

export class KnowledgeIndex {
  readonly #entries: Entry[] = [];
  readonly #stems = new Postings(AROUND.stems);
  readonly #grams = new Postings(AROUND.grams);
  /** Documents with a missing vector. Their other vectors are ignored, too, to keep the ranking uniform. */
  readonly #withoutVectors = new Set<string>();

  add(unit: Unit): void {
    if (unit.kind === 'document' && unit.vector === undefined) this.#withoutVectors.add(unit.id);
    for (const { asks, fields } of wordingsOf(unit)) {
      const { stems, grams } = weighted(fields);
      this.#entries.push({ unit, asks });
      this.#stems.add(stems);
      this.#grams.add(grams);
    }
  }

  pack(): void {
    this.#stems.pack();
    this.#grams.pack();
  }

  get size(): number {
    return this.#entries.length;
  }

  unitAt(entry: number): Unit {
    return this.#entries[entry]!.unit;
  }

  weightOf(stem: string): number {
    return this.#stems.weightOf(stem);
  }

  #termsOf(question: SafeText): Terms {
    return termsOf(question, (stem) => this.#stems.has(stem));
  }

  search(question: SafeText | Terms, limit: number, without = -1): readonly Hit[] {
    const { stems, grams } = typeof question === 'string' ? this.#termsOf(question) : question;
    if (stems.length === 0 || this.#entries.length === 0) return [];
    const byStem = this.#stems.score(stems, without);
    const byGram = this.#grams.score(grams, without);
    const top = [maxOf(byStem.bm25) || 1, maxOf(byGram.bm25) || 1] as const;
    const ranked: Ranked[] = [];
    for (let at = 0; at < this.#entries.length; at += 1) {
      const rank = byStem.bm25[at]! / top[0] + byGram.bm25[at]! / top[1];
      if (rank > 0) ranked.push({ at, rank: rank / 2 });
    }
    ranked.sort((one, other) => other.rank - one.rank);
    const first = this.#reranked(ranked.slice(0, Math.max(RERANKED, limit)), stems);
    const hits = new Map<Unit, Hit>();
    for (const { at, rank } of first) {
      const { unit } = this.#entries[at]!;
      if (!hits.has(unit)) hits.set(unit, { unit, rank, score: this.#scoreOf(at, stems, (byStem.covered[at]! + byGram.covered[at]!) / 2) });
      if (hits.size === limit) break;
    }
    return [...hits.values()];
  }

  /** Words alone decide which answers and passages qualify. Vectors can only change their order. */
  searchNear(question: SafeText, near: Near, limit: number): readonly Hit[] {
    const hits = this.search(question, FUSED).filter(({ score }) => score >= near.atLeast);
    return fused(hits, near.vector, ({ unit }) => this.#vectorOf(unit)).slice(0, limit);
  }

  #vectorOf(unit: Unit): Vector | undefined {
    return unit.kind === 'document' && !this.#withoutVectors.has(unit.id) ? unit.vector : undefined;
  }

  /** Ranks saved questions with fewer additional words higher. */
  #reranked(ranked: readonly Ranked[], stems: readonly string[]): readonly Ranked[] {
    const asked = new Set(stems);
    const added = (at: number): number => SAME_QUESTION * this.#sharedOf(this.#entries[at]!.asks, asked);
    return ranked.map(({ at, rank }) => ({ at, rank: rank + added(at) })).toSorted((one, other) => other.rank - one.rank);
  }

  /** Lowers the score of a saved answer whose question has little in common with the customer's. */
  #scoreOf(at: number, stems: readonly string[], covered: number): number {
    const { unit, asks } = this.#entries[at]!;
    if (unit.kind === 'document') return covered;
    return covered * (MENTIONED + (1 - MENTIONED) * Math.min(1, this.#sharedOf(asks, new Set(stems)) / SAME_SUBJECT));
  }

  #sharedOf(wanted: ReadonlySet<string>, asked: ReadonlySet<string>): number {
    let total = 0;
    let shared = 0;
    for (const term of wanted) {
      const weight = this.#stems.weightOf(term);
      total += weight;
      if (asked.has(term)) shared += weight;
    }
    return total === 0 ? 0 : shared / total;
  }
}

export interface Near {
  readonly vector: Vector;
  readonly atLeast: number;
}

interface Ranked {
  readonly at: number;
  readonly rank: number;
}

/** Share of its score that a saved answer keeps if its question shares no words with the customer's. */
const MENTIONED = 0.8;
const SAME_SUBJECT = 0.4;
const RERANKED = 20;
const FUSED = 50;
const SAME_QUESTION = 0.4;

type Field = readonly [text: SafeText, weight: number];

function wordingsOf(unit: Unit): readonly { readonly asks: ReadonlySet<string>; readonly fields: readonly Field[] }[] {
  if (unit.kind === 'document') {
    const heading = safeText(`${unit.name.replace(/\.\w{2,4}$/, '')} ${unit.heading}`);
    return [
      {
        asks: NOTHING,
        fields: [
          [heading, HEADING_WEIGHT],
          [unit.text, 1],
        ],
      },
    ];
  }
  return unit.questions.map((question) => ({
    asks: new Set(termsOf(question).stems),
    fields: [
      [question, QUESTION_WEIGHT],
      [unit.text, ANSWER_TEXT_WEIGHT],
    ],
  }));
}

const NOTHING: ReadonlySet<string> = new Set();

function weighted(fields: readonly Field[]): { readonly stems: Weighted; readonly grams: Weighted } {
  const stems = new Map<string, number>();
  const grams = new Map<string, number>();
  for (const [text, weight] of fields) {
    const terms = termsOf(text);
    for (const term of terms.stems) stems.set(term, (stems.get(term) ?? 0) + weight);
    for (const term of terms.grams) grams.set(term, (grams.get(term) ?? 0) + weight);
  }
  const implied = impliedBy(safeText(fields.map(([text]) => text).join('\n')));
  for (const term of implied.stems) stems.set(term, Math.max(stems.get(term) ?? 0, IMPLIED_WEIGHT));
  for (const term of implied.grams) grams.set(term, Math.max(grams.get(term) ?? 0, IMPLIED_WEIGHT));
  return { stems, grams };
}

function maxOf(values: Float64Array): number {
  let max = 0;
  for (const value of values) if (value > max) max = value;
  return max;
}
