import type { Clock } from '../../../runtime/clock.ts';
import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { TenantRow } from '../../../store/accounts/tenants.ts';
import type { AutoReplies, RuleRow } from '../../../store/auto-reply/auto-replies.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import { settingsOf } from '../../domain/settings.ts';
import { isOpen } from '../../domain/zones.ts';
import { type ReadyRules, readyRules } from './matching.ts';

export type Answer = Pick<RuleRow, 'reply_type' | 'reply_body' | 'reply_r2_key' | 'reply_caption'>;

export interface FoundAnswer {
  readonly answer: Answer | null;
  readonly isOfRule: boolean;
}

export interface AnswerDeps {
  readonly autoReplies: AutoReplies;
  readonly messages: Pick<Messages, 'list'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

const AWAY_EVERY_MS = 6 * 3_600_000;
const FOR_GOOD_MS = 10 * 365 * 86_400_000;
const DEVICES = 2_000;

export class Answers {
  readonly #deps: AnswerDeps;
  readonly #ready = new RecentCache<string, ReadyRules>(DEVICES);

  constructor(deps: AnswerDeps) {
    this.#deps = deps;
  }

  /** Answers the same message in the same way, even after a crash. */
  async to(row: MessageRow, tenant: TenantRow): Promise<FoundAnswer> {
    const rule = await (await this.#rulesOf(row))?.match(row.body);
    if (rule) {
      const isTurn = await this.#isRulesTurn(rule, row);
      return { answer: isTurn ? rule : null, isOfRule: isTurn };
    }
    return { answer: (await this.#away(row, tenant)) ?? (await this.#welcome(row, tenant)), isOfRule: false };
  }

  async #rulesOf({ tenant_id, session_id }: MessageRow): Promise<ReadyRules | null> {
    const rev = await this.#deps.autoReplies.revision(tenant_id, session_id);
    if (rev === null) return null;
    const known = this.#ready.get(session_id);
    if (known?.rev === rev) return known;
    const ruleSet = await this.#deps.autoReplies.find(tenant_id, session_id);
    if (!ruleSet) return null;
    const ready = readyRules(ruleSet, this.#deps.clock);
    this.#ready.set(session_id, ready);
    return ready;
  }

  /** Whether the rule may answer. During its cooldown, neither this rule nor another one answers. */
  #isRulesTurn({ id, cooldown_ms }: RuleRow, { chat_id, _id: cause, created_at: at }: MessageRow): Promise<boolean> {
    return this.#deps.autoReplies.claim({ key: `${id}:${chat_id}`, of: id, cause, at }, cooldown_ms);
  }

  async #away(row: MessageRow, tenant: TenantRow): Promise<Answer | null> {
    const { away } = settingsOf(tenant);
    if (!away.enabled || !away.text || isOpen(away.hours, tenant.profile.timezone, row.created_at)) return null;
    const { session_id: of, chat_id, _id: cause, created_at: at } = row;
    const isTurn = await this.#deps.autoReplies.claim({ key: `away:${of}:${chat_id}`, of, cause, at }, AWAY_EVERY_MS);
    return isTurn ? text(away.text) : null;
  }

  async #welcome(row: MessageRow, tenant: TenantRow): Promise<Answer | null> {
    const { welcome } = settingsOf(tenant);
    if (!welcome.enabled || !welcome.text || !(await this.#isFirst(row))) return null;
    const { tenant_id, session_id: of, chat_id, _id: cause, created_at: at } = row;
    const isTurn = await this.#deps.autoReplies.claim({ key: `welcome:${tenant_id}:${chat_id}`, of, cause, at }, FOR_GOOD_MS);
    return isTurn ? text(welcome.text) : null;
  }

  async #isFirst({ tenant_id, session_id, chat_id, created_at, _id }: MessageRow): Promise<boolean> {
    const page = { limit: 1, before: created_at, beforeId: _id };
    const earlier = this.#deps.messages.list(tenant_id, session_id, { chat_id, direction: 'inbound' }, page);
    return (await Array.fromAsync(earlier)).length === 0;
  }
}

const text = (reply_body: string): Answer => ({ reply_type: 'text', reply_body, reply_r2_key: null, reply_caption: null });
