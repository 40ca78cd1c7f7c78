import Joi from 'joi';
import type { Campaign, RowId, Template } from '../answers.ts';
import type { Fields } from '../messages.ts';
import { cursor, PAGE, paged, placeOf, shortened, when } from '../shown.ts';
import { READS, type ToolCall, tool } from '../tool.ts';

export function shownCampaign(campaign: Campaign, zone: string | undefined): Fields {
  const { id, name, status, body, session_id, segment_id, tag, total_recipients, sent_count, failed_count, skipped_count, error } =
    campaign;
  return {
    ...{ blast_id: id, name, status, session_id, segment_id, tag },
    body: typeof body === 'string' ? shortened(body) : null,
    ...{ total_recipients, sent_count, failed_count, skipped_count, error },
    ...when('created_at', campaign.created_at, zone),
  };
}

export const getCampaign = tool({
  name: 'get_campaign',
  title: 'Campaigns',
  description: 'One campaign with its counts, or the latest campaigns if no id is given.',
  hints: READS,
  args: Joi.object<{ blast_id?: string }, true>({ blast_id: Joi.string().max(26) }),
  needs: ['getBlast', 'listBlasts'],
  async run({ ask, caller }, { blast_id: id }) {
    const { zone } = caller.plan;
    if (id !== undefined) return { told: { campaign: shownCampaign(await ask('getBlast', { params: { id } }), zone) } };
    const found = await ask('listBlasts', { query: { limit: PAGE } });
    const place = (one: Campaign): string => cursor(one.created_at, one.id);
    return { told: { campaigns: paged(found.blasts, (one) => shownCampaign(one, zone), place, found).items } };
  },
});

const FIGURES = {
  day: 'getAnalyticsDaily',
  hour: 'getAnalyticsHourly',
  device: 'getAnalyticsDevices',
  agent: 'getAnalyticsAgents',
  campaign: 'getAnalyticsBlasts',
} as const satisfies Readonly<Record<string, RowId>>;

export const getAnalytics = tool({
  name: 'get_analytics',
  title: 'Figures',
  description: 'Numbers of sent, received, failed, delivered and read messages per day, device or agent.',
  hints: READS,
  args: Joi.object<{ by: keyof typeof FIGURES; days: number }, true>({
    by: Joi.string()
      .valid(...Object.keys(FIGURES))
      .default('day'),
    days: Joi.number().valid(7, 30, 90).default(7),
  }),
  needs: ['getAnalyticsAgents'],
  run: async ({ ask, caller }, { by, days }) => ({
    told: { by, days, zone: caller.plan.zone ?? 'UTC', ...(await ask(FIGURES[by], { query: { days } })) },
  }),
});

export const listTemplates = tool({
  name: 'list_templates',
  title: 'Templates and saved answers',
  description: 'Reusable texts, with their placeholders.',
  hints: READS,
  args: Joi.object<{ query?: string; cursor?: string }, true>({
    query: Joi.string().min(1).max(200),
    cursor: Joi.string().max(60),
  }),
  needs: ['listTemplates'],
  async run(call, { query, cursor: from }) {
    const words = query?.toLowerCase();
    const isMeant = (...texts: readonly (string | null)[]): boolean =>
      words === undefined || texts.some((text) => text?.toLowerCase().includes(words) ?? false);
    // Templates come as one list of at most 1,000; saved answers are paginated.
    const { templates } = from === undefined ? await call.ask('listTemplates') : { templates: [] };
    const answers = await answersFrom(call, from);
    const shown = templates.filter(({ name, body, caption }) => isMeant(name, body, caption)).slice(0, PAGE);
    const saved = answers.answers.filter(({ question, answer }) => isMeant(question, answer));
    const { items } = paged(shown, shownTemplate, ({ id }) => id, NOTHING_MORE);
    return {
      told: {
        templates: items,
        more_templates: shown.length > items.length || shown.length === PAGE,
        saved_answers: saved.map(({ id, question, answer }) => ({ id, question, answer: shortened(answer) })),
        next_cursor: answers.next_before === null ? null : cursor(answers.next_before, answers.next_before_id ?? ''),
      },
    };
  },
});

const NOTHING_MORE = { next_before: null, next_before_id: null };

/** Only the owner and keys that may use all devices may read saved answers. */
async function answersFrom({ ask, may }: ToolCall, from: string | undefined) {
  if (!may('listSavedAnswers')) return { answers: [], ...NOTHING_MORE };
  return ask('listSavedAnswers', { query: { limit: PAGE, ...placeOf(from) } });
}

const shownTemplate = ({ id, name, message_type, body, caption, language }: Template): Fields => {
  const text = body ?? caption;
  const placeholders = [...new Set(text?.match(/\{\{?[^{}]{1,80}\}\}?/g) ?? [])];
  return { template_id: id, name, type: message_type, text: shortened(text), placeholders, language };
};

export const askKnowledge = tool({
  name: 'ask_knowledge',
  title: 'Ask the knowledge base',
  description:
    "Answer a question from the business's own documents and saved answers, with sources; null if they contain no answer. Sends nothing.",
  hints: READS,
  args: Joi.object<{ question: string }, true>({ question: Joi.string().trim().min(1).max(1_000).required() }),
  needs: ['askAi'],
  async run({ ask }, { question }) {
    const { answer, reason, sources } = await ask('askAi', { body: { question } });
    return { told: { answer, reason, sources } };
  },
});
