import { TOOLS } from '../../http/mcp/tools/index.ts';
import { fieldsOf, jsonSchemaOf } from '../../http/openapi/json-schema.ts';
import { use } from '../http/mcp/agent.ts';
import type { Api } from '../support/gateway.ts';
import { type Belongings, CUSTOMER, SESSIONS } from './belongings.ts';

/** What arguments of tools name by an id, as `Belongings` know it. */
const KINDS: Readonly<Record<string, string>> = {
  session_id: SESSIONS,
  segment_id: '/v1/segments',
  template_id: '/v1/templates',
  agent_id: '/v1/agents',
  blast_id: '/v1/blasts',
  message_id: `${SESSIONS}/{sessionId}/messages`,
};
/** Arguments that name nothing that somebody has: everybody knows the same customer. */
const PLAIN = new Set(
  [
    'query',
    'tag',
    'cursor',
    'status',
    'unread',
    'chat_id',
    'limit',
    'variables',
    'phone',
    'direction',
    'since',
    'until',
    'by',
    'days',
    'question',
  ].concat(['to', 'body', 'send_at', 'idempotency_key', 'confirmation', 'add_tags', 'note', 'mark_read', 'name', 'attrs']),
);

/** Arguments under which a tool does something for who has `own`. */
const ABOUT: Readonly<Record<string, (own: Belongings) => object>> = {
  read_chat: chatOf,
  ask_knowledge: () => ({ question: 'Do you deliver?' }),
  search_contacts: () => ({ query: CUSTOMER }),
  send_message: () => ({ to: CUSTOMER, body: 'Hi', idempotency_key: 'one' }),
  update_chat: (own) => ({ ...chatOf(own), status: 'open' }),
  save_contact: () => ({ phone: CUSTOMER }),
  draft_campaign: (own) => ({ name: 'Sale', body: 'Hi', session_id: own.get(SESSIONS) }),
  cancel_message: (own) => ({ message_id: own.get(KINDS['message_id'] ?? '') }),
};
/** In place of another argument. */
const INSTEAD: Readonly<Record<string, string>> = { template_id: 'body' };

function chatOf(own: Belongings): object {
  return { session_id: own.get(SESSIONS), chat_id: CUSTOMER };
}

export interface ToolUse {
  readonly name: string;
  readonly title: string;
  readonly args: object;
}

/** Every tool with every id of `strange`. Throws for an argument that nobody has thought of: it needs a line in `KINDS` or `PLAIN`. */
export function toolsNaming(strange: Belongings, own: Belongings): readonly ToolUse[] {
  return TOOLS.flatMap(({ name, args }) =>
    Object.keys(fieldsOf(jsonSchemaOf(args))).flatMap((field) => {
      const kind = KINDS[field];
      if (kind === undefined && !PLAIN.has(field)) throw new Error(`what is named with ${field} of ${name}?`);
      const id = strange.get(kind ?? '');
      if (id === undefined) return [];
      const rest = { ...ABOUT[name]?.(own), [INSTEAD[field] ?? '']: undefined };
      return [{ name, title: `${name} with ${field}`, args: { ...rest, [field]: id } }];
    }),
  );
}

export const used = async (api: Api, { name, title, args }: ToolUse): Promise<string> =>
  `${title} → ${JSON.stringify(await use(api, name, args))}`;

/** What the tools that change nothing show, with nothing but one's own. */
export async function shownByTools(api: Api, own: Belongings): Promise<string> {
  const reading = TOOLS.filter(({ hints }) => hints.readOnlyHint);
  return JSON.stringify(await Promise.all(reading.map(({ name }) => use(api, name, ABOUT[name]?.(own)))));
}

/** A tool says that there is no such thing, shows an empty list, or does not exist for the caller. */
export const UNKNOWN_TO_TOOLS = /→ (\{"error":"Not found.*"code":"NOT_FOUND"|\{"rpc":-32602|\{("note":"[^"]+",)?"(chats|contacts)":\[\])/;
