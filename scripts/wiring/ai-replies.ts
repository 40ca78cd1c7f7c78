import type { Logger } from 'pino';
import type { Plans } from '../../actors/domain/plans.ts';
import type { Choose } from '../../actors/services/agents/choose-agent.ts';
import { type Composer, createComposer } from '../../actors/services/ai-reply/compose/composer.ts';
import { hostsIn } from '../../actors/services/ai-reply/compose/may-send.ts';
import { type Answering, createAnswering } from '../../actors/services/ai-reply/conversation/answering.ts';
import { type AiIntake, createAiIntake } from '../../actors/services/ai-reply/conversation/intake.ts';
import { followUpOnReplies } from '../../actors/services/ai-reply/conversation/outbox-handler.ts';
import { createDocuments, type KnowledgeDocuments } from '../../actors/services/ai-reply/documents.ts';
import { createEmbedder, type Embedder } from '../../actors/services/ai-reply/engine/embedder.ts';
import { createEngine, type Engine } from '../../actors/services/ai-reply/engine/engine.ts';
import { EngineClient } from '../../actors/services/ai-reply/engine/engine-client.ts';
import { createKnowledgeService, type KnowledgeService } from '../../actors/services/ai-reply/knowledge/knowledge-service.ts';
import { createDocumentReader } from '../../actors/services/ai-reply/reading/reader.ts';
import type { ConsentCheck } from '../../actors/services/consent/check.ts';
import type { JobHints } from '../../actors/services/contacts/job-hints.ts';
import type { Announce } from '../../actors/services/conversations/announce-assignment.ts';
import type { EventLog } from '../../actors/services/events/event-log.ts';
import type { IdentityResolver } from '../../actors/services/identities/identities.ts';
import { createFetcher } from '../../actors/services/media/fetcher.ts';
import type { OutboxHandler } from '../../actors/services/messaging/outbox-processor.ts';
import type { Sending } from '../../actors/services/messaging/sending.ts';
import type { TenantHints } from '../../actors/tenant/hints.ts';
import type { ChildProcesses } from '../../runtime/child-processes/child-processes.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type Egress, egressTo } from '../../runtime/egress/egress.ts';
import type { Random } from '../../runtime/random.ts';
import type { Tenants } from '../../store/accounts/tenants.ts';
import { type SavedAnswers, savedAnswersIn } from '../../store/ai-reply/answers.ts';
import { aiChatsIn } from '../../store/ai-reply/chats.ts';
import { documentSharesIn } from '../../store/ai-reply/document-shares.ts';
import { documentsIn } from '../../store/ai-reply/documents.ts';
import { readingAttemptsIn } from '../../store/ai-reply/reading-attempts.ts';
import { type ReplyQuota, replyQuotaIn } from '../../store/ai-reply/reply-quota.ts';
import { type AiSettingsStore, aiSettingsIn } from '../../store/ai-reply/settings.ts';
import { type Unanswered, unansweredIn } from '../../store/ai-reply/unanswered.ts';
import type { Chats } from '../../store/conversations/chats.ts';
import type { Devices } from '../../store/devices/devices.ts';
import type { MediaBytes } from '../../store/media/media.ts';
import type { Messages } from '../../store/messaging/messages.ts';
import type { Store } from '../../store/port.ts';
import type { Wakeups } from '../../store/scheduling/wakeups.ts';
import { storeLinksIn } from '../../store/store-links/links.ts';
import type { Config } from './config.ts';
import { zonesOf } from './zones-of.ts';

export interface AiReplyServices {
  readonly aiSettings: AiSettingsStore;
  readonly savedAnswers: SavedAnswers;
  readonly unanswered: Unanswered;
  readonly replyQuota: ReplyQuota;
  readonly knowledge: KnowledgeService;
  readonly documents: KnowledgeDocuments;
  readonly composer: Composer;
  readonly aiIntake: AiIntake;
  readonly answering: Answering;
  engine(): { readonly name: 'engine_a' | 'local'; readonly ready: boolean };
  /** Stops reading the current document. It will be read again later. */
  closeReader(): Promise<void>;
  /** Call this after all tenants on this node have stopped. */
  closeEngine(): Promise<void>;
  readonly followUp: OutboxHandler;
}

export interface AiReplyParts {
  readonly config: Pick<Config, 'ai_url' | 'ai_key' | 'ai_model' | 'ai_embedding_model'>;
  readonly random: Random;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly plans: Plans;
  readonly messages: Messages;
  readonly chats: Chats;
  readonly devices: Devices;
  readonly people: Pick<IdentityResolver, 'resolve'>;
  readonly tenants: Tenants;
  readonly consentCheck: ConsentCheck;
  readonly choose: Choose;
  readonly announce: Announce;
  readonly eventLog: EventLog;
  readonly wakeups: Wakeups;
  readonly tenantHints: TenantHints;
  readonly sending: () => Sending;
  readonly bytes: MediaBytes;
  readonly readEgress: Egress;
  readonly jobHints: JobHints;
  readonly children: ChildProcesses;
}

export function startAiReplies(parts: AiReplyParts): AiReplyServices {
  const { store, log, clock, wakeups, tenantHints, jobHints, readEgress } = parts;
  const aiSettings = aiSettingsIn(store);
  const aiChats = aiChatsIn(store);
  const savedAnswers = savedAnswersIn(store);
  const unanswered = unansweredIn(store);
  const replyQuota = replyQuotaIn(store);
  const documentRows = documentsIn(store);
  const { engine, embedder, closeEngine } = startEngine(parts);
  const knowledge = createKnowledgeService({ aiSettings, savedAnswers, documents: documentRows, embedder, clock });
  const reader = createDocumentReader({
    ...parts,
    attempts: readingAttemptsIn(store),
    zoneOf: zonesOf(parts.tenants),
    now: () => clock.now(),
  });
  const documents = createDocuments({
    ...parts,
    documents: documentRows,
    shares: documentSharesIn(store),
    knowledge,
    embedder,
    reader,
    egress: readEgress,
    fetcher: createFetcher({ egress: readEgress, clock }),
    order: (tenantId, document_id) => jobHints.order(tenantId, { kind: 'document', document_id }, clock.now()),
    now: () => clock.now(),
    failed: ({ tenant_id, _id, ext }, { en }) =>
      log.info({ event: 'ai.document_failed', tenant: tenant_id, document: _id, ext, reason: en }, 'a document could not be read'),
  });
  const composer = createComposer({
    knowledge,
    engine,
    async ownHosts(tenantId) {
      const [pages, answers, stores] = await Promise.all([
        documentRows.list(tenantId),
        savedAnswers.all(tenantId),
        storeLinksIn(store).list(tenantId),
      ]);
      const links = [...pages.map(({ source_url }) => source_url), ...stores.map(({ shop_domain }) => shop_domain)];
      return new Set([...links.flatMap((link) => hostsIn(link ?? '')), ...answers.flatMap(({ answer }) => hostsIn(answer))]);
    },
  });
  const aiIntake = createAiIntake({ ...parts, aiSettings, aiChats, wakeups, hint: tenantHints.eventsArrived });
  const answering = createAnswering({
    ...parts,
    aiSettings,
    aiChats,
    unanswered,
    knowledge,
    replyQuota,
    composer,
    failed: ({ code }, { tenant_id, _id }) =>
      log.info({ event: 'ai.reply_skipped', tenant: tenant_id, device: _id, code }, 'an AI reply was not sent'),
  });
  return {
    aiSettings,
    savedAnswers,
    unanswered,
    replyQuota,
    knowledge,
    documents,
    composer,
    aiIntake,
    answering,
    engine: () => (engine ? { name: 'engine_a', ready: engine.isReady() } : { name: 'local', ready: true }),
    closeReader: reader.close,
    closeEngine,
    followUp: followUpOnReplies({ ...parts, aiIntake, replyQuota }),
  };
}

interface Engines {
  readonly engine: Engine | null;
  readonly embedder: Embedder | null;
  closeEngine(): Promise<void>;
}

function startEngine({ config, clock, log, random }: AiReplyParts): Engines {
  const { ai_url: address, ai_key: key, ai_model: model, ai_embedding_model: embeddingModel } = config;
  if (address === null || model === null) return { engine: null, embedder: null, closeEngine: async () => {} };
  const egress = egressTo(address, clock);
  const client = new EngineClient({ url: address, key, model, embeddingModel, dispatcher: egress.dispatcher, clock });
  const engine = createEngine({
    client,
    clock,
    random,
    failed: ({ message, status }, tenant) =>
      log.warn(
        { event: 'ai.engine_failed', tenant, status, reason: message },
        'the AI engine did not respond; the local reader answered instead',
      ),
  });
  const embedder =
    embeddingModel === null
      ? null
      : createEmbedder({
          client,
          model: embeddingModel,
          clock,
          failed: ({ message, status }, tenant) =>
            log.warn(
              { event: 'ai.embeddings_failed', tenant, status, reason: message },
              'the AI engine returned no embeddings; passages are ranked by words only',
            ),
        });
  return { engine, embedder, closeEngine: () => egress.close() };
}
