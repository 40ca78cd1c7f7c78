import { type SafeText, safeText } from '../../../../runtime/safe-text.ts';
import type { AiSettings } from '../../../../store/ai-reply/settings.ts';
import { cut } from '../../../domain/cut.ts';
import { matchedPart } from '../../../domain/matched-part.ts';
import type { Engine } from '../engine/engine.ts';
import type { KnowledgeService } from '../knowledge/knowledge-service.ts';
import { isQuestion, type Language, languageOf } from '../retrieval/question.ts';
import { engineReply, localReply, type Reply, silence, usable } from './reply.ts';

/** What is asked, and in which surroundings. */
export interface Inquiry {
  readonly tenantId: string;
  readonly question: string;
  readonly settings: AiSettings;
  /** Of the tenant: where the question does not tell its language. */
  readonly locale: Language;
  /** The last messages of the chat, oldest first; none for a dry run. */
  readonly history: readonly { readonly isOurs: boolean; readonly text: string }[];
  /** Is the engine, which costs money, worth asking? Called only where it would be asked; absent: it is. */
  mayAskEngine?(): Promise<boolean>;
}

/** Finds what is said to a question, or that nothing is; sends nothing. */
export interface Composer {
  compose(inquiry: Inquiry): Promise<Reply>;
}

export interface ComposerDeps {
  readonly knowledge: Pick<KnowledgeService, 'consult'>;
  /** null: there is none, and the local reader answers. */
  readonly engine: Pick<Engine, 'answer'> | null;
}

/** The engine reads a longer question to here; passages are found by the part that is matched. */
const MAX_QUESTION = 2_000;

export function createComposer({ knowledge, engine }: ComposerDeps): Composer {
  return {
    async compose({ tenantId, question, settings, locale, history, mayAskEngine }) {
      const asked = safeText(cut(question, MAX_QUESTION));
      const { text: matched } = matchedPart(asked);
      const language = languageFor(settings, matched, locale);
      const { found, calibration } = await knowledge.consult(tenantId, matched);
      const { thresholds } = calibration;
      if (!isQuestion(matched)) return silence('not_a_question', 0, thresholds.answers);
      const sources = usable(found, thresholds);
      // Without a passage there is nothing to answer from: the engine is not asked.
      if (engine === null || sources.length === 0) return localReply(found, thresholds, language);
      if (mayAskEngine && !(await mayAskEngine())) return localReply(found, thresholds, language);
      const verdict = await engine.answer({ tenantId, question: asked, persona: settings.persona, language, sources, history });
      return verdict === null ? localReply(found, thresholds, language) : engineReply(verdict, sources, thresholds);
    },
  };
}

/** The language of a reply: the tenant's choice, else that of the question. */
export const languageFor = ({ language }: AiSettings, question: SafeText, locale: Language): Language =>
  language === 'auto' ? languageOf(question, locale) : language;
