import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { Composer } from '../../../actors/services/ai-reply/compose/composer.ts';
import type { KnowledgeService } from '../../../actors/services/ai-reply/knowledge/knowledge-service.ts';
import {
  answerQuestion,
  changeAnswer,
  createAnswer,
  removeAnswer,
  type SavedAnswerDeps,
} from '../../../actors/services/ai-reply/saved-answers.ts';
import { monthOf } from '../../../actors/services/messaging/sending.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { ReplyQuota } from '../../../store/ai-reply/reply-quota.ts';
import type { AiSettings, AiSettingsStore } from '../../../store/ai-reply/settings.ts';
import { readPage } from '../../../store/paging/page.ts';
import { nextOf, pageFrom, pageIn } from '../../core/paging.ts';
import { type Area, type Caller, rowsFor } from '../../core/row.ts';
import { Done, nextPage, paging, Ulid } from '../../core/schemas.ts';
import {
  AiReplySchema,
  AiSettingsChange,
  AnswerChange,
  AnswerText,
  AskedSchema,
  NewAnswer,
  SavedAnswerSchema,
  toAnswer,
  toUnanswered,
  UnansweredSchema,
} from './schemas.ts';

export interface AiReplyServices extends SavedAnswerDeps {
  readonly aiSettings: AiSettingsStore;
  readonly replyQuota: Pick<ReplyQuota, 'used'>;
  readonly knowledge: KnowledgeService;
  readonly composer: Composer;
  readonly tenants: Pick<Tenants, 'find'>;
  engine(): { readonly name: 'engine_a' | 'local'; readonly ready: boolean };
}

const PATH = '/v1/ai-reply';
const SHOWN_UNANSWERED = 200;

const row = rowsFor<AiReplyServices>();
const one = Joi.object<{ id: string }, true>({ id: Ulid.required() });

export const aiReply: Area<AiReplyServices> = {
  name: 'ai replies',
  about:
    'Answers customers from your documents and saved answers, in their language, or stays silent. A text in a 1:1 chat is checked in this order: STOP words, a hand-off word, an auto-reply rule, AI. ' +
    'AI never answers in groups, channels or Status. It does not answer your own numbers or messages that are older than ten minutes, and it answers a message only once. Messages of one person within three ' +
    'seconds count as one question. After a hand-off or a message from your team, AI stays silent in that chat until it is resolved, or for twelve hours. If two machines answer each other, AI is paused for a day (`ai.paused`)',
  rows: [
    row({
      access: 'bearer',
      id: 'getAiReply',
      method: 'GET',
      path: PATH,
      summary: 'Get the AI settings',
      about: 'Get the settings, the quota, the engine, and the expected accuracy of the local reader',
      status: 200,
      returns: AiReplySchema,
      refuses: ['OVERLOADED'],
      run: (services, { caller, now }) => shown(services, caller, now),
    }),
    row({
      access: 'bearer',
      id: 'changeAiReply',
      method: 'PUT',
      path: PATH,
      summary: 'Change the AI settings',
      example: { enabled: true, language: 'auto', only_when: 'outside_hours' },
      about: 'Omitted fields are unchanged',
      audit: { action: 'ai_reply.update', on: 'ai_settings' },
      stepUp: { none: 'changes automatic answers; grants no access' },
      body: AiSettingsChange,
      status: 200,
      returns: AiReplySchema,
      refuses: ['NOT_FOUND', 'OVERLOADED'],
      run: change,
    }),
    row({
      access: 'bearer',
      id: 'askAi',
      method: 'POST',
      path: `${PATH}/ask`,
      summary: 'Test a question',
      about: 'Get the answer that AI would give, with its sources. Nothing is sent, and the quota is not used',
      audit: { none: 'a dry run; nothing changes' },
      scope: 'read',
      body: Joi.object<{ question: string }, true>({
        question: Joi.string().trim().min(1).max(2_000).required().example('bisa cod ga kak?'),
      }),
      status: 200,
      returns: AskedSchema,
      refuses: ['OVERLOADED'],
      async run({ composer, aiSettings, tenants }, { caller: { tenantId }, body }) {
        const [{ settings }, tenant] = await Promise.all([aiSettings.find(tenantId), tenants.find(tenantId)]);
        const inquiry = { tenantId, question: body.question, settings, locale: tenant?.profile.locale ?? 'en', history: [] } as const;
        const { answer, sources, score, threshold, engine, reason } = await composer.compose(inquiry);
        return { answer, sources, score, threshold, engine, reason };
      },
    }),
    row({
      access: 'bearer',
      id: 'listSavedAnswers',
      method: 'GET',
      path: `${PATH}/answers`,
      summary: 'List saved answers',
      about: 'List saved answers, newest first',
      query: Joi.object(paging).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ answers: Joi.array().items(SavedAnswerSchema).required(), ...nextPage }),
      async run({ savedAnswers }, { caller, query }) {
        const { entries, next } = await pageFrom(caller.tenantId, query, {
          list: (page) => savedAnswers.page(caller.tenantId, page),
          show: toAnswer,
        });
        return { answers: entries, ...next };
      },
    }),
    row({
      access: 'bearer',
      id: 'createSavedAnswer',
      method: 'POST',
      path: `${PATH}/answers`,
      summary: 'Save an answer',
      about: 'Save an answer. You can have at most 1,000 saved answers',
      audit: { action: 'ai_answer.create', on: 'ai_answers', kinds: ['insert'] },
      stepUp: { none: 'changes automatic answers; grants no access' },
      body: NewAnswer,
      status: 201,
      returns: SavedAnswerSchema,
      refuses: ['LIMIT_REACHED'],
      run: async (services, { caller, body, now }) => toAnswer(await createAnswer(services, caller.tenantId, body, now)),
    }),
    row({
      access: 'bearer',
      id: 'changeSavedAnswer',
      method: 'PATCH',
      path: `${PATH}/answers/{id}`,
      summary: 'Change a saved answer',
      example: { answer: 'Yes, to Singapore, Malaysia and Australia.' },
      about: 'Omitted fields are unchanged',
      audit: { action: 'ai_answer.update', on: 'ai_answers' },
      stepUp: { none: 'changes automatic answers; grants no access' },
      params: one,
      body: AnswerChange,
      status: 200,
      returns: SavedAnswerSchema,
      refuses: ['NOT_FOUND'],
      run: async (services, { caller, params, body, now }) => toAnswer(await changeAnswer(services, caller.tenantId, params.id, body, now)),
    }),
    row({
      access: 'bearer',
      id: 'deleteSavedAnswer',
      method: 'DELETE',
      path: `${PATH}/answers/{id}`,
      summary: 'Remove a saved answer',
      about: 'AI no longer uses this answer',
      audit: { action: 'ai_answer.delete', on: 'ai_answers' },
      stepUp: { none: 'changes automatic answers; grants no access' },
      params: one,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run(services, { caller, params }) {
        await removeAnswer(services, caller.tenantId, params.id);
        return { ok: true };
      },
    }),
    row({
      access: 'bearer',
      id: 'listUnanswered',
      method: 'GET',
      path: `${PATH}/unanswered`,
      summary: 'List unanswered questions',
      about: 'List questions without an answer, most recently asked first. Similar questions are grouped',
      query: Joi.object({ ...paging, limit: paging.limit.default(SHOWN_UNANSWERED) }).with('before_id', 'before'),
      status: 200,
      returns: Joi.object({ unanswered: Joi.array().items(UnansweredSchema).required(), ...nextPage }),
      async run({ unanswered }, { caller, query }) {
        const { entries, next } = await readPage({
          owner: caller.tenantId,
          page: pageIn(query),
          list: (page) => unanswered.page(caller.tenantId, page),
          placeOf: ({ last_at, _id }) => ({ at: last_at, id: _id }),
          show: (rows) => rows.map(toUnanswered),
        });
        return { unanswered: entries, ...nextOf(next) };
      },
    }),
    row({
      access: 'bearer',
      id: 'answerUnanswered',
      method: 'POST',
      path: `${PATH}/unanswered/{id}/answer`,
      summary: 'Answer an unanswered question',
      example: { answer: 'Yes, until nine in the evening.' },
      about:
        'Save an answer that AI uses for every wording of the question from now on. `send` also sends it to everyone who asked in the last 24 hours',
      audit: { action: 'ai_answer.create', on: 'ai_answers', kinds: ['insert'] },
      stepUp: { none: 'changes automatic answers; grants no access' },
      params: one,
      scope: ['manage', 'send'],
      body: Joi.object<{ answer: string; send?: boolean }, true>({
        answer: AnswerText.required(),
        send: Joi.boolean().example(true),
      }),
      status: 201,
      returns: SavedAnswerSchema,
      refuses: ['NOT_FOUND', 'LIMIT_REACHED'],
      async run(services, { caller: { tenantId: id, plan }, params, body: { answer, send = false }, now }) {
        return toAnswer(await answerQuestion(services, { id, plan }, params.id, { answer, send }, now));
      },
    }),
    row({
      access: 'bearer',
      id: 'deleteUnanswered',
      method: 'DELETE',
      path: `${PATH}/unanswered/{id}`,
      summary: 'Dismiss an unanswered question',
      about: 'Remove a question from the list of unanswered questions',
      audit: { action: 'ai_question.delete', on: 'ai_unanswered' },
      stepUp: { none: 'changes automatic answers; grants no access' },
      params: one,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run({ unanswered }, { caller, params }) {
        if (!(await unanswered.remove(caller.tenantId, params.id))) throw refusal('NOT_FOUND');
        return { ok: true };
      },
    }),
  ],
};

async function shown(
  { aiSettings, replyQuota, knowledge, engine }: AiReplyServices,
  { tenantId, plan }: Caller,
  now: number,
  first?: () => Promise<void>,
) {
  const { quality } = await knowledge.calibration(tenantId, first);
  const [{ settings }, used] = await Promise.all([aiSettings.find(tenantId), replyQuota.used(tenantId, monthOf(now, plan.zone))]);
  return { ...settings, quota: { used, limit: plan.ai_replies }, engine: engine(), quality };
}

async function change(services: AiReplyServices, { caller, body, now }: { caller: Caller; body: Partial<AiSettings>; now: number }) {
  for (const id of body.session_ids ?? [])
    if (!(await services.devices.find(caller.tenantId, id))) throw refusal('NOT_FOUND', { reason: 'session_ids' });
  return shown(services, caller, now, () => services.aiSettings.change(caller.tenantId, body));
}
