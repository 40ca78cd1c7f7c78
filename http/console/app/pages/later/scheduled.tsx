import type { ComponentChildren, JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { addressWith } from '../../ui/address.ts';
import { Badge } from '../../ui/badge.tsx';
import { Choice } from '../../ui/choice.tsx';
import { EditableRow } from '../../ui/editable-row.tsx';
import { Listing } from '../../ui/listing.tsx';
import { useNews } from '../../ui/news.ts';
import { Opener } from '../../ui/opener.tsx';
import { Pager, placeIn } from '../../ui/pager.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { whenText } from '../../words/formats.ts';
import { phoneText } from '../../words/phone.ts';
import { phoneOf } from '../inbox/names.ts';
import { ScheduledForm } from './scheduled-form.tsx';
import { words } from './words.ts';

type Scheduled = Schemas['SessionScheduledMessage'];
type Status = Scheduled['status'];

const STATUSES: readonly Status[] = ['pending', 'sending', 'sent', 'failed'];
const TONES = { pending: 'calm', sending: 'warn', sent: 'good', failed: 'bad' } as const;

interface ScheduledMessagesProps {
  readonly sessionId: string;
  readonly query: Readonly<Record<string, string>>;
  readonly children: ComponentChildren;
}

export function ScheduledMessages({ sessionId, query, children }: ScheduledMessagesProps): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const status = STATUSES.find((one) => one === query['status']);
  const place = placeIn(query);
  const asked = { ...(status && { status }), ...place };
  const list = useResource(JSON.stringify(asked), (signal) => call('listScheduled', { params: { sessionId }, query: asked }, { signal }));
  useNews(list, ({ type }) => type === 'scheduled.sent');
  return (
    <>
      <div class="toolbar">
        {children}
        <Choice
          label={t.status}
          value={status ?? ''}
          options={[['', t.allStatuses] as const, ...STATUSES.map((one) => [one, t.statuses[one]] as const)]}
          onValue={(chosen) => route(addressWith('/later', { part: 'scheduled', session_id: sessionId, status: chosen }))}
        />
        <Opener label={t.schedule}>
          {(isOpen, close) => <ScheduledForm sessionId={sessionId} message={null} isOpen={isOpen} onClose={close} onSaved={list.reload} />}
        </Opener>
      </div>
      <Loaded of={list}>
        {({ scheduled, ...next }) => (
          <>
            <Listing
              of={scheduled}
              empty={
                status ? (
                  <Empty title={t.noneWithStatus} about={t.noneWithStatusAbout} />
                ) : (
                  <Empty title={t.noneScheduled} about={t.noneScheduledAbout} />
                )
              }
            >
              {(one) => <Row key={one.id} message={one} onChange={list.reload} />}
            </Listing>
            <Pager path="/later" query={{ part: 'scheduled', session_id: sessionId, status }} place={place} next={next} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface RowProps {
  readonly message: Scheduled;
  readonly onChange: () => void;
}

function Row({ message, onChange }: RowProps): JSX.Element {
  const t = words();
  const { id, session_id: sessionId, chat_id, message_type, body, caption, scheduled_at, status } = message;
  const acting = useAct();
  const phone = phoneOf(chat_id);
  const to = phone === null ? chat_id : phoneText(phone);
  const isPending = status === 'pending';
  const edit = {
    label: t.editMessageOf(to),
    form: (isOpen: boolean, close: () => void) => (
      <ScheduledForm sessionId={sessionId} message={message} isOpen={isOpen} onClose={close} onSaved={onChange} />
    ),
  };
  return (
    <EditableRow
      testId="scheduled-row"
      edit={isPending ? edit : undefined}
      remove={
        isPending
          ? { label: t.cancelOf(to), ask: t.cancelAsk, run: () => call('cancelScheduled', { params: { sessionId, id } }) }
          : undefined
      }
      act={acting}
      onChange={onChange}
    >
      <div class="grow">
        <strong class="breaks">{to}</strong>
        <p class="small breaks">{body || caption || t.contents[message_type]}</p>
        {status === 'failed' && <p class="small soft">{reasonOf(message)}</p>}
      </div>
      <span class="soft small">{whenText(scheduled_at)}</span>
      <Badge tone={TONES[status]} text={t.statuses[status]} />
    </EditableRow>
  );
}

function reasonOf({ error }: Pick<Scheduled, 'error'>): string {
  const errors: Readonly<Record<string, string>> = words().errors;
  return error === null ? '' : (errors[error] ?? error);
}
