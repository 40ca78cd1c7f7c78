import { Failure } from '../cluster/operator.ts';
import { table } from '../cluster/table.ts';
import type { Json } from '../narrator.ts';
import { type Command, given, type Options, type Shell, textOf } from './command.ts';

const COLUMNS = [
  { title: 'CAMPAIGN' },
  { title: 'STATUS' },
  { title: 'PEOPLE', isFigure: true },
  { title: 'SENT', isFigure: true },
  { title: 'FAILED', isFigure: true },
  { title: 'SKIPPED', isFigure: true },
  { title: 'NAME' },
];

const shownAll = (campaigns: readonly Json[]): string =>
  table(
    COLUMNS,
    campaigns.map((one) => [
      one['id'],
      one['status'],
      ...['total_recipients', 'sent_count', 'failed_count', 'skipped_count'].map((count) => String(one[count])),
      one['name'],
    ]),
  );

const ORDERS = { pause: 'Pause a campaign.', resume: 'Resume a paused campaign.', cancel: 'Cancel a campaign permanently.' } as const;

export const CAMPAIGNS: readonly Command[] = [
  {
    name: 'campaign list',
    about: 'List the campaigns, newest first.',
    async run({ api }) {
      const found = await api.call('listBlasts', { query: { limit: 50 } });
      return {
        json: found,
        text: found.blasts.length === 0 ? 'No campaigns yet. Create one with `gateway campaign draft`.' : shownAll(found.blasts),
      };
    },
  },
  {
    name: 'campaign show',
    takes: '<id>',
    about: 'Show a campaign with its counts.',
    least: 1,
    async run({ api }, [id = '']) {
      const found = await api.call('getBlast', { params: { id } });
      return { json: found, text: shownAll([found]) };
    },
  },
  {
    name: 'campaign draft',
    takes: '<name> <text>',
    about: 'Create a draft for a tag, a segment or some numbers. Nothing is sent until you start it.',
    least: 2,
    most: 2,
    options: {
      session: { type: 'string', value: 'ID', about: 'the sending device; default: the first connected one' },
      tag: { type: 'string', value: 'T', about: 'the contacts with this tag' },
      segment: { type: 'string', value: 'ID', about: 'the contacts of this segment' },
      to: { type: 'string', value: '+62…,+62…', about: 'these numbers' },
    },
    run: draft,
  },
  {
    name: 'campaign start',
    takes: '<id>',
    about: 'Start a draft now.',
    least: 1,
    options: { attested: { type: 'boolean', about: 'confirm that the recipients agreed to receive this' } },
    async run({ api }, [id = ''], options) {
      const started = await api.call('startBlast', {
        params: { id },
        body: options['attested'] === true ? { consent_attested: true } : {},
      });
      return { json: started, text: shownAll([started]) };
    },
  },
  ...(['pause', 'resume', 'cancel'] as const).map(
    (order): Command => ({
      name: `campaign ${order}`,
      takes: '<id>',
      about: ORDERS[order],
      least: 1,
      async run({ api }, [id = '']) {
        const changed = await api.call(`${order}Blast`, { params: { id } });
        return { json: changed, text: shownAll([changed]) };
      },
    }),
  ),
  {
    name: 'campaign report',
    takes: '<id>',
    about: 'Print the status of every recipient as CSV.',
    least: 1,
    async run({ api }, [id = '']) {
      const csv = await api.text('getBlastReport', { params: { id } });
      return { json: { csv }, text: csv.trimEnd() };
    },
  },
];

async function draft({ api }: Shell, [name, body]: readonly string[], options: Options) {
  const { sessions } = await api.call('listSessions', {});
  const online = sessions.find(({ status }) => status === 'connected') ?? sessions[0];
  const session_id = textOf(options, 'session') ?? online?.id;
  if (session_id === undefined) throw new Failure('No devices yet. Run `gateway link`.');
  const recipients = textOf(options, 'to')
    ?.split(',')
    .map((phone) => ({ phone: phone.trim() }));
  const audience = given({ tag: textOf(options, 'tag'), segment_id: textOf(options, 'segment'), recipients });
  const made = await api.call('createBlast', {
    body: { session_id, name: name ?? '', message_type: 'text', body: body ?? '', ...audience },
  });
  return { json: made, text: shownAll([made]) };
}
