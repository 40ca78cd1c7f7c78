import { DateTime } from 'luxon';
import { failureReason } from '../../../actors/domain/failure-reasons.ts';
import type { Operations } from '../../../http/openapi/client/gateway.generated.ts';
import { Failure } from '../cluster/operator.ts';
import { printable } from '../printable.ts';
import { unlessUnknown } from './api.ts';
import { type Command, type Options, type Shell, type Shown, textOf } from './command.ts';

export const WHY: readonly Command[] = [
  {
    name: 'why',
    takes: '<id>',
    about: 'Explain why a message, a scheduled message or a campaign has not been sent, and what to do.',
    least: 1,
    options: { session: { type: 'string', value: 'ID', about: 'search only this device' } },
    run: why,
  },
];

type Message = Operations['getMessage']['answer'];
type Scheduled = Operations['getScheduled']['answer'];
type Campaign = Operations['getBlast']['answer'];
type Reason = NonNullable<Message['waiting']>['reason'];

const WAITS: Readonly<Record<Reason, string>> = {
  suspended: 'the account has more devices than the plan allows. Remove another device or choose a larger plan.',
  login: 'the device is not linked to a phone. Run `gateway link --session ID`.',
  offline: 'the device is not connected. Connect it (POST …/connect); its `reason` in `gateway devices --json` says why it is not.',
  backoff: 'the network refused it or slowed the device down for now. The gateway tries again automatically.',
  restricted: 'the network limits first messages from this device to new people. Replies still go out.',
  warm_up: "a newly linked device has reached today's limit. Replies still go out. `warmup` in the settings changes this.",
  first_contact: 'first messages to new people are sent last and at a slower pace. `pacing` in the settings changes this.',
  campaign_behind_replies: 'replies go out first.',
  tier: 'the official number has reached its limit of new people within 24 hours. Replies still go out.',
  pair_limit: 'the official platform limits messages to one person. The message goes out automatically.',
  spam_limit: 'people reported messages from this number as spam. Replies still go out. Change the first messages that you send to people.',
  held_by_network: 'the official platform reviews the template before it delivers the message.',
  outcome_unknown: 'the official platform has not confirmed it. After 10 minutes without an answer, it fails with `unknown_outcome`.',
  pace: 'the pause between two messages. `pacing` in the settings changes this.',
};

async function why({ api }: Shell, [id = '']: readonly string[], options: Options): Promise<Shown> {
  const named = textOf(options, 'session');
  const devices = named === undefined ? (await api.call('listSessions', {})).sessions.map((one) => one.id) : [named];
  for (const sessionId of devices) {
    const message = await unlessUnknown(api.call('getMessage', { params: { sessionId, messageId: id } }));
    if (message) return { json: message, text: ofMessage(message) };
    const scheduled = await unlessUnknown(api.call('getScheduled', { params: { sessionId, id } }));
    if (scheduled) return { json: scheduled, text: ofScheduled(scheduled) };
  }
  const campaign = await unlessUnknown(api.call('getBlast', { params: { id } }));
  if (campaign) return { json: campaign, text: ofCampaign(campaign) };
  throw new Failure(`There is no message, scheduled message or campaign with the id ${printable(id)}.`);
}

const at = (time: number): string => DateTime.fromMillis(time).toFormat('yyyy-MM-dd HH:mm');
const until = (time: number | null): string => (time === null ? '' : ` Until ${at(time)}.`);

const failed = (error: string | null): string => `Failed (${error}): ${failureReason(error, 'en')} See docs/troubleshooting.md.`;

function ofMessage({ status, waiting, error }: Message): string {
  if (status === 'failed') return failed(error);
  if (status !== 'queued') return `Not waiting: the status is ${status}.`;
  if (!waiting) return 'Queued: nothing is delaying it. It will be sent within seconds.';
  return `Queued (${waiting.reason}): ${WAITS[waiting.reason]}${until(waiting.until)}`;
}

function ofScheduled({ status, scheduled_at, message_id, error }: Scheduled): string {
  if (status === 'failed') return failed(error);
  if (status === 'sent') return `Queued as message ${message_id}. Run \`gateway why ${message_id}\`.`;
  return status === 'sending' ? 'Due: the gateway is sending it now.' : `Scheduled for ${at(scheduled_at)}.`;
}

function ofCampaign({ status, resumes_at, pause_reason, error, scheduled_at }: Campaign): string {
  if (status === 'draft') return scheduled_at ? `A draft that starts at ${at(scheduled_at)}.` : 'A draft: run `gateway campaign start`.';
  if (status === 'paused') return `Paused (${pause_reason ?? 'manually'}): run \`gateway campaign resume\` once the problem is solved.`;
  if (status === 'failed') return `Failed: ${error}.`;
  if (status !== 'running') return `Not waiting: the status is ${status}.`;
  if (resumes_at) return `Running (send_window): waiting for the send window, until ${at(resumes_at)}.`;
  return 'Running: its messages are sent one by one. `GET …/recipients?status=queued` lists the messages that wait. Run `gateway why` with their ids.';
}
