import type { Random } from '../../../../runtime/random.ts';
import type { SafeText } from '../../../../runtime/safe-text.ts';
import { type Calibration, calibrated, type Trials, type TrialTask, trialTasks, tried } from './calibration.ts';
import { type Hit, KnowledgeIndex, type Near, type Unit } from './knowledge-index.ts';
import { quoteOf } from './sentences.ts';

export interface Source {
  readonly kind: 'answer' | 'document';
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly score: number;
  readonly quote: string;
  /** Whether the text was written as an answer. If so, it is sent unchanged. */
  readonly isAnswer: boolean;
}

export interface Found {
  readonly answers: readonly Source[];
  readonly passages: readonly Source[];
}

const ANSWERS = 3;
const PASSAGES = 5;

/** Answers and passages have separate indexes, because a word may be rare in only one of them. */
export class Knowledge {
  readonly #answers = new KnowledgeIndex();
  readonly #passages = new KnowledgeIndex();
  readonly #random: Random;
  #trials: readonly Waiting[] = [];
  readonly #results: { answers: Trials; passages: Trials } = { answers: NOTHING, passages: NOTHING };

  constructor(random: Random) {
    this.#random = random;
  }

  add(units: readonly Unit[]): void {
    for (const unit of units) (unit.kind === 'answer' ? this.#answers : this.#passages).add(unit);
  }

  pack(): void {
    for (const index of [this.#answers, this.#passages]) index.pack();
    this.#trials = [this.#answers, this.#passages].map((index) => ({
      index,
      tasks: index.size === 0 ? [] : trialTasks(index, this.#random),
    }));
  }

  get size(): number {
    return this.#answers.size + this.#passages.size;
  }

  find(question: SafeText, near: Near | null = null): Found {
    const passages = near ? this.#passages.searchNear(question, near, PASSAGES) : this.#passages.search(question, PASSAGES);
    return {
      answers: this.#answers.search(question, ANSWERS).map((hit) => this.#sourceOf(hit, question)),
      passages: passages.map((hit) => this.#sourceOf(hit, question)),
    };
  }

  tryMore(count: number): boolean {
    let left = count;
    this.#trials = this.#trials.map(({ index, tasks }) => {
      const next = tasks.slice(0, left);
      left -= next.length;
      if (next.length > 0) this.#add(index === this.#answers ? 'answers' : 'passages', tried(index, next, this.#random));
      return { index, tasks: tasks.slice(next.length) };
    });
    return this.#trials.every(({ tasks }) => tasks.length === 0);
  }

  calibration(fixed: number | null): Calibration {
    return calibrated(this.#results.answers, this.#results.passages, fixed);
  }

  #add(kind: 'answers' | 'passages', { offTopic, own }: Trials): void {
    const known = this.#results[kind];
    this.#results[kind] = { offTopic: [...known.offTopic, ...offTopic], own: [...known.own, ...own] };
  }

  #sourceOf({ unit, score }: Hit, question: SafeText): Source {
    const rounded = Math.round(score * 1_000) / 1_000;
    if (unit.kind === 'answer') {
      const { id, questions, text, document } = unit;
      const asks = questions[0] ?? '';
      const isAnswer = true;
      if (document === undefined) return { kind: 'answer', id, name: asks, text, score: rounded, quote: text, isAnswer };
      return { kind: 'document', id, name: document, text: `${asks}\n${text}`, score: rounded, quote: text, isAnswer };
    }
    const { kind, id, name, heading, text } = unit;
    const quote = quoteOf(text, question, (stem) => this.#passages.weightOf(stem));
    return { kind, id, name, text: heading ? `${heading}\n${text}` : text, score: rounded, quote, isAnswer: false };
  }
}

interface Waiting {
  readonly index: KnowledgeIndex;
  readonly tasks: readonly TrialTask[];
}

const NOTHING: Trials = { offTopic: [], own: [] };
