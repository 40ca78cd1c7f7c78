import { safeText } from '../../../../runtime/safe-text.ts';
import type { AiFacts, AiSource } from '../../../../store/messaging/message-row.ts';
import { cut } from '../../../domain/cut.ts';
import type { Verdict } from '../engine/engine.ts';
import { speaksToMachines } from '../reading/speaks-to-machines.ts';
import type { Thresholds } from '../retrieval/calibration.ts';
import type { Found, Source } from '../retrieval/knowledge.ts';
import type { Language } from '../retrieval/question.ts';
import { sentencesOf } from '../retrieval/sentences.ts';
import { asksForSecrets, hasOnlyLinksOf } from './may-send.ts';

/** Reasons for an outcome. Only the first three belong to replies that are sent. */
export type Reason =
  | 'saved_answer'
  | 'quoted'
  | 'engine'
  | 'not_a_question'
  | 'no_knowledge'
  | 'below_threshold'
  | 'engine_silent'
  | 'engine_void'
  | 'withheld'
  | 'handoff';

export interface Reply extends AiFacts {
  readonly answer: string | null;
  readonly reason: Reason;
  readonly handoff: boolean;
}

const KEPT_TEXT = 500;

export const silence = (reason: Reason, score: number, threshold: number, engine: AiFacts['engine'] = 'local'): Reply => ({
  answer: null,
  sources: [],
  score,
  threshold,
  engine,
  reason,
  handoff: false,
});

export function usable({ answers, passages }: Found, thresholds: Thresholds): readonly Source[] {
  return [
    ...answers.filter(({ score }) => score >= thresholds.answers),
    ...passages.filter(({ score }) => score >= thresholds.passages),
  ].filter(({ kind, text }) => kind === 'answer' || !speaksToMachines(safeText(text)));
}

/** Composes without the engine. Skips sources that must not be sent. `own`: the business's own hosts. */
export function localReply(found: Found, thresholds: Thresholds, language: Language, own: ReadonlySet<string>): Reply {
  const sources = usable(found, thresholds);
  const sayable = sources.map((source) => ({ source, text: sentOf(source, own) })).find(({ text }) => text !== null);
  const [first] = sources;
  if (first && !sayable) return { ...silence('withheld', first.score, thresholdOf(first, thresholds)), sources: [shown(first)] };
  const best = sayable?.source;
  if (!best) {
    const [nearest] = [...found.answers, ...found.passages].toSorted((one, other) => other.score - one.score);
    if (!nearest) return silence('no_knowledge', 0, thresholds.answers);
    return silence('below_threshold', nearest.score, thresholdOf(nearest, thresholds));
  }
  return {
    answer: best.isAnswer ? sayable.text : quoted(sayable.text ?? '', language),
    sources: [shown(best)],
    score: best.score,
    threshold: thresholdOf(best, thresholds),
    engine: 'local',
    reason: best.isAnswer ? 'saved_answer' : 'quoted',
    handoff: false,
  };
}

export function engineReply(verdict: Verdict, sources: readonly Source[], thresholds: Thresholds): Reply {
  const stands = verdict.kind === 'answer' ? verdict.sources : sources;
  const best = stands.toSorted((one, other) => other.score - one.score)[0];
  const [score, threshold] = best ? [best.score, thresholdOf(best, thresholds)] : [0, thresholds.answers];
  switch (verdict.kind) {
    case 'answer':
      return { ...silence('engine', score, threshold, 'engine_a'), answer: verdict.text, sources: stands.map(shown) };
    case 'handoff':
      return { ...silence('handoff', score, threshold, 'engine_a'), sources: stands.map(shown), handoff: true };
    case 'silent':
      return silence('engine_silent', score, threshold, 'engine_a');
    case 'void':
      return silence('engine_void', score, threshold, 'engine_a');
  }
}

const thresholdOf = ({ isAnswer }: Source, { answers, passages }: Thresholds): number => (isAnswer ? answers : passages);

export function shown({ kind, id, name, text, score }: Source): AiSource {
  return { kind, id, name, text: text.length > KEPT_TEXT ? `${cut(text, KEPT_TEXT - 1)}…` : text, score };
}

/** Introduces a quotation. The document's internal name is not sent. */
const FROM: Readonly<Record<Language, string>> = { id: 'Dari dokumen kami:', en: 'From our documents:' };

const quoted = (quote: string, language: Language): string => `${FROM[language]}\n“${quote}”`;

/** Returns the text to send. Sentences that link to other hosts are removed from quotations. */
function sentOf({ kind, isAnswer, quote }: Source, own: ReadonlySet<string>): string | null {
  if (asksForSecrets(quote)) return null;
  if (kind === 'answer' || hasOnlyLinksOf(quote, own)) return quote;
  const kept = isAnswer ? [] : sentencesOf(quote).filter((sentence) => hasOnlyLinksOf(sentence, own));
  return kept.length > 0 ? kept.join(' ') : null;
}
