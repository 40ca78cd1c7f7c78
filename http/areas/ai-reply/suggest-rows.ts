import Joi from 'joi';
import { type SuggestDeps, suggest } from '../../../actors/services/ai-reply/suggest.ts';
import { type ConversationDeps, chatOf } from '../../../actors/services/conversations/conversation-service.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { type Limits, takeAllOrRefuse } from '../../limits/limits.ts';
import { chatIn, type IdentityServices, inChat } from '../params.ts';
import { AiSources } from './schemas.ts';

export type SuggestServices = SuggestDeps & ConversationDeps & IdentityServices & { readonly limits: Limits };

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const A_MINUTE = 20;
const A_DAY = 1_000;

const row = rowsFor<SuggestServices>();

export const aiSuggestions: Area<SuggestServices> = {
  name: 'ai suggestions',
  about: 'Suggested answers for your team to send',
  rows: [
    row({
      id: 'suggestReply',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/chats/{chatId}/suggest',
      summary: 'Suggest a reply',
      about: `Get the assistant's answer to the last question in the chat. Nothing is sent, and the quota is not used. At most ${A_MINUTE} requests per minute for each caller, and ${A_DAY} per day for each business`,
      audit: { none: 'a dry run; nothing changes' },
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      scope: 'read',
      params: inChat,
      status: 200,
      returns: Joi.object({
        text: Joi.string().allow(null).required().description('null if AI has no answer').example('Yes, to Singapore and Malaysia.'),
        sources: AiSources.required(),
      }).meta({ title: 'SuggestedReply' }),
      refuses: ['INVALID_NUMBER', 'INVALID_JID', 'CONFLICT', 'RATE_LIMITED', 'OVERLOADED'],
      async run(services, call) {
        const { caller, device, now } = call;
        const { chat_id } = await chatOf(services, await chatIn(services, call));
        const who = caller.key?.id ?? caller.family ?? caller.agentId;
        const windows = [
          { key: `suggest:${caller.tenantId}:${who}`, max: A_MINUTE, windowMs: MINUTE_MS },
          { key: `suggest-day:${caller.tenantId}`, max: A_DAY, windowMs: DAY_MS },
        ];
        await takeAllOrRefuse(services.limits, windows, now);
        return suggest(services, caller.tenantId, device._id, chat_id);
      },
    }),
  ],
};
