import type { AiFacts, AiSource } from '../../../../store/messaging/message-row.ts';
import type { Thresholds } from '../retrieval/calibration.ts';
import type { Found, Source } from '../retrieval/knowledge.ts';
import type { Language } from '../retrieval/question.ts';

/** Why there is a reply (the first two), or none. */
export type Reason = 'saved_answer' | 'quoted' | 'not_a_question' | 'no_knowledge' | 'below_threshold';

export interface Reply extends AiFacts {
  /** null: nothing is said. */
  readonly answer: string | null;
  readonly reason: Reason;
  /** The engine found that a person is asked for. */
  readonly handoff: boolean;
}

/** What is shown and kept of a source. */
const KEPT_TEXT = 500;

/** A reply without words. */
export const silence = (reason: Reason, score: number, threshold: number, engine: AiFacts['engine'] = 'local'): Reply => ({
  answer: null,
  sources: [],
  score,
  threshold,
  engine,
  reason,
  handoff: false,
});

/** What of it may be said at all: saved answers first, then passages, each best first. */
function usable({ answers, passages }: Found, thresholds: Thresholds): readonly Source[] {
  return [...answers.filter(({ score }) => score >= thresholds.answers), ...passages.filter(({ score }) => score >= thresholds.passages)];
}

/** The reply of the local reader: the saved answer as it was written, else the sentences of the best passage with the name of its document. */
export function localReply(found: Found, thresholds: Thresholds, language: Language): Reply {
  const [best] = usable(found, thresholds);
  if (!best) {
    const [nearest] = [...found.answers, ...found.passages].toSorted((one, other) => other.score - one.score);
    if (!nearest) return silence('no_knowledge', 0, thresholds.answers);
    return silence('below_threshold', nearest.score, thresholdOf(nearest, thresholds));
  }
  const isSaved = best.kind === 'answer';
  return {
    answer: isSaved ? best.text : quoted(best, language),
    sources: [shown(best)],
    score: best.score,
    threshold: thresholdOf(best, thresholds),
    engine: 'local',
    reason: isSaved ? 'saved_answer' : 'quoted',
    handoff: false,
  };
}

const thresholdOf = ({ kind }: Source, { answers, passages }: Thresholds): number => (kind === 'answer' ? answers : passages);

function shown({ kind, id, name, text, score }: Source): AiSource {
  return { kind, id, name, text: text.length > KEPT_TEXT ? `${text.slice(0, KEPT_TEXT - 1)}…` : text, score };
}

const FROM: Readonly<Record<Language, (name: string) => string>> = {
  id: (name) => `Dari dokumen kami (${name}):`,
  en: (name) => `From our document (${name}):`,
};

const quoted = ({ name, quote }: Source, language: Language): string => `${FROM[language](name)}\n“${quote}”`;
