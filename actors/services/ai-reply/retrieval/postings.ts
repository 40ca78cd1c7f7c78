/**
 * An inverted index for one kind of term (stems or 4-grams). It is filled, then packed, and then
 * only read. A weight is the frequency of a term times the weight of its field. In a small index,
 * typical questions are added to the statistics.
 */

interface Posting {
  readonly units: Uint32Array;
  readonly weights: Float32Array;
}

export interface Scores {
  readonly bm25: Float64Array;
  readonly covered: Float64Array;
}

export type Weighted = ReadonlyMap<string, number>;

export interface Surroundings {
  readonly count: number;
  readonly having: ReadonlyMap<string, number>;
}

const K1 = 1.2;
const B = 0.6;

export class Postings {
  #lists = new Map<string, number[]>();
  readonly #terms = new Map<string, Posting>();
  readonly #unitLengths: number[] = [];
  #lengths = new Float32Array(0);
  #mean = 1;
  readonly #around: Surroundings;
  #share = 0;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  get #count(): number {
    return this.#unitLengths.length;
  }

  add(unit: Weighted): void {
    const nth = this.#unitLengths.length;
    let length = 0;
    for (const [term, weight] of unit) {
      length += weight;
      const list = this.#lists.get(term);
      if (list) list.push(nth, weight);
      else this.#lists.set(term, [nth, weight]);
    }
    this.#unitLengths.push(length);
  }

  pack(): void {
    for (const [term, list] of this.#lists) this.#terms.set(term, packed(list));
    this.#lists = new Map();
    this.#lengths = Float32Array.from(this.#unitLengths);
    this.#share = Math.max(0, 1 - this.#count / this.#around.count);
    this.#mean = this.#unitLengths.reduce((sum, length) => sum + length, 0) / Math.max(1, this.#count) || 1;
  }

  score(question: readonly string[], without = -1): Scores {
    const bm25 = new Float64Array(this.#count);
    const covered = new Float64Array(this.#count);
    const counts = new Map<string, number>();
    for (const term of question) counts.set(term, (counts.get(term) ?? 0) + 1);
    let total = 0;
    for (const [term, times] of counts) {
      const posting = this.#terms.get(term);
      const idf = this.#idf(term, posting, without);
      total += idf * times;
      if (posting) this.#add(posting, idf * times, bm25, covered);
    }
    if (total > 0) for (let unit = 0; unit < this.#count; unit += 1) covered[unit]! /= total;
    if (without >= 0) bm25[without] = covered[without] = 0;
    return { bm25, covered };
  }

  has(term: string): boolean {
    return this.#terms.has(term);
  }

  weightOf(term: string): number {
    return this.#idf(term, this.#terms.get(term), -1);
  }

  #add({ units, weights }: Posting, idf: number, bm25: Float64Array, covered: Float64Array): void {
    for (let at = 0; at < units.length; at += 1) {
      const unit = units[at]!;
      const weight = weights[at]!;
      const norm = K1 * (1 - B + (B * this.#lengths[unit]!) / this.#mean);
      bm25[unit]! += (idf * weight * (K1 + 1)) / (weight + norm);
      covered[unit]! += idf * Math.min(1, weight);
    }
  }

  /** Unknown words weigh most, so that no text seems to cover a question that depends on such a word. */
  #idf(term: string, posting: Posting | undefined, without: number): number {
    const isMissing = without >= 0 && posting?.units.includes(without) === true;
    const around = this.#share * (this.#around.having.get(term) ?? 0);
    const found = (posting?.units.length ?? 0) - (isMissing ? 1 : 0) + around;
    const count = this.#count - (without >= 0 ? 1 : 0) + this.#share * this.#around.count;
    return Math.log(1 + (count - found + 0.5) / (found + 0.5));
  }
}

function packed(list: readonly number[]): Posting {
  const length = list.length / 2;
  const units = new Uint32Array(length);
  const weights = new Float32Array(length);
  for (let at = 0; at < length; at += 1) {
    units[at] = list[2 * at]!;
    weights[at] = list[2 * at + 1]!;
  }
  return { units, weights };
}
