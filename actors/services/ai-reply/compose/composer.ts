import { type SafeText, safeText } from '../../../../runtime/safe-text.ts';
import type { AiSettings } from '../../../../store/ai-reply/settings.ts';
import type { AiSource } from '../../../../store/messaging/message-row.ts';
import { cut } from '../../../domain/cut.ts';
import { matchedPart } from '../../../domain/matched-part.ts';
import type { Engine } from '../engine/engine.ts';
import type { KnowledgeService } from '../knowledge/knowledge-service.ts';
import { isQuestion, type Language, languageOf } from '../retrieval/question.ts';
import { asksForSecrets, hasOnlyLinksOf, hostsIn } from './may-send.ts';
import { engineReply, localReply, type Reply, shown, silence, usable } from './reply.ts';

export interface Inquiry {
  readonly tenantId: string;
  readonly question: string;
  readonly settings: AiSettings;
  /** The language to use if the question's language is unclear. */
  readonly locale: Language;
  /** Oldest message first. Empty for a dry run. */
  readonly history: readonly { readonly isOurs: boolean; readonly text: string }[];
  /** Called immediately before the engine is used, because each use costs money. */
  mayAskEngine?(): Promise<boolean>;
}

export interface Composer {
  compose(inquiry: Inquiry): Promise<Reply>;
  sourcesFor(tenantId: string, question: string): Promise<readonly AiSource[]>;
}

export interface ComposerDeps {
  readonly knowledge: Pick<KnowledgeService, 'consult'>;
  ownHosts(tenantId: string): Promise<ReadonlySet<string>>;
  readonly engine: Pick<Engine, 'answer'> | null;
}

const MAX_QUESTION = 2_000;
const NOTED = 3;

export function createComposer({ knowledge, engine, ownHosts }: ComposerDeps): Composer {
  const hostsFor = async (tenantId: string, texts: readonly string[]): Promise<ReadonlySet<string>> =>
    texts.some((text) => hostsIn(text).length > 0) ? ownHosts(tenantId) : new Set();

  return {
    async sourcesFor(tenantId, question) {
      const { text } = matchedPart(safeText(cut(question, MAX_QUESTION)));
      const { found, calibration } = await knowledge.consult(tenantId, text);
      return usable(found, calibration.thresholds).slice(0, NOTED).map(shown);
    },

    async compose({ tenantId, question, settings, locale, history, mayAskEngine }) {
      const asked = safeText(cut(question, MAX_QUESTION));
      const { text: matched } = matchedPart(asked);
      const language = languageFor(settings, matched, locale);
      const { found, calibration } = await knowledge.consult(tenantId, matched);
      const { thresholds } = calibration;
      if (!isQuestion(matched)) return silence('not_a_question', 0, thresholds.answers);
      const sources = usable(found, thresholds);
      const quotes = sources.filter(({ kind }) => kind === 'document').map(({ quote }) => quote);
      const local = async (): Promise<Reply> => localReply(found, thresholds, language, await hostsFor(tenantId, quotes));
      if (engine === null || sources.length === 0) return local();
      if (mayAskEngine && !(await mayAskEngine())) return local();
      const verdict = await engine.answer({ tenantId, question: asked, persona: settings.persona, language, sources, history });
      if (verdict === null) return local();
      const isSent = verdict.kind === 'answer' && !asksForSecrets(verdict.text);
      const own = isSent ? await hostsFor(tenantId, [verdict.text]) : new Set<string>();
      const isVoid = verdict.kind === 'answer' && !(isSent && hasOnlyLinksOf(verdict.text, own));
      return engineReply(isVoid ? { kind: 'void', why: 'link' } : verdict, sources, thresholds);
    },
  };
}

export const languageFor = ({ language }: AiSettings, question: SafeText, locale: Language): Language =>
  language === 'auto' ? languageOf(question, locale) : language;
