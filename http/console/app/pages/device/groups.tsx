import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Confirm, FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Listing } from '../../ui/listing.tsx';
import { useNews } from '../../ui/news.ts';
import { Opener } from '../../ui/opener.tsx';
import { Bones, Failure, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { numberText } from '../../words/formats.ts';
import { phoneText } from '../../words/phone.ts';
import { words } from './network-words.ts';

type Group = Schemas['WaGroupMetadata'];

export function Groups({ sessionId }: { readonly sessionId: string }): JSX.Element {
  const t = words();
  const groups = useResource(sessionId, (signal) => call('listGroups', { params: { sessionId } }, { signal }));
  useNews(groups, ({ type, session_id }) => session_id === sessionId && type.startsWith('group.'));
  const left = useSignal<readonly string[]>([]);
  return (
    <div class="stack">
      <div class="row">
        <Opener label={t.newGroup} look="button slim">
          {(isOpen, close) => (
            <NewGroup
              sessionId={sessionId}
              isOpen={isOpen}
              onClose={close}
              onMade={({ results }) => {
                left.value = results
                  .filter(({ status }) => status !== 'ok')
                  .map(({ phone, lid }) => (phone === null ? (lid ?? '') : phoneText(phone)));
                groups.reload();
              }}
            />
          )}
        </Opener>
      </div>
      <p role="status" class="small breaks">
        {left.value.length > 0 && t.notAdded(left.value.join(', '))}
      </p>
      <Loaded of={groups} loading={<Bones count={2} />}>
        {({ groups: list }) => (
          <Listing of={list} empty={<p class="soft">{t.noGroups}</p>}>
            {(group) => <Row key={group.id} sessionId={sessionId} group={group} onChange={groups.reload} />}
          </Listing>
        )}
      </Loaded>
    </div>
  );
}

interface RowProps {
  readonly sessionId: string;
  readonly group: Group;
  readonly onChange: () => void;
}

function Row({ sessionId, group, onChange }: RowProps): JSX.Element {
  const t = words();
  const { id: groupId, subject, size } = group;
  const params = { sessionId, groupId };
  const isLeaving = useSignal(false);
  const link = useSignal<string | null>(null);
  const acting = useAct();
  const invite = (): Promise<void> =>
    acting.run(async () => {
      link.value = (await call('getGroupInvite', { params })).url;
    });
  const close = (): void => {
    isLeaving.value = false;
  };
  const leave = (): Promise<void> =>
    acting.run(async () => {
      await call('leaveGroup', { params }).finally(close);
      onChange();
    });
  return (
    <li data-testid="group-row">
      <div class="line">
        <div class="grow">
          <strong class="breaks">{subject}</strong>
          <p class="soft small">{t.members(size, numberText(size))}</p>
        </div>
        <button type="button" class="button slim" aria-label={t.inviteTo(subject)} disabled={acting.isBusy.value} onClick={invite}>
          {t.invite}
        </button>
        <button
          type="button"
          class="button slim"
          aria-haspopup="dialog"
          aria-label={t.leaveOf(subject)}
          onClick={() => (isLeaving.value = true)}
        >
          {t.leave}
        </button>
      </div>
      <p role="status" class="small breaks">
        {link.value !== null && <code>{link.value}</code>}
      </p>
      {acting.error.value && <Failure error={acting.error.value} />}
      <Confirm
        title={t.leaveOf(subject)}
        verb={t.leave}
        isDangerous
        isOpen={isLeaving.value}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={leave}
      >
        <p>{t.leaveAsk}</p>
        <AsCode operation="leaveGroup" input={{ params }} />
      </Confirm>
    </li>
  );
}

interface NewGroupProps {
  readonly sessionId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMade: (group: Schemas['NewGroup']) => void;
}

function NewGroup({ sessionId, isOpen, onClose, onMade }: NewGroupProps): JSX.Element {
  const t = words();
  const [subject, people] = [useSignal(''), useSignal('')];
  const participants = people.value
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const input = { params: { sessionId }, body: { subject: subject.value, participants } };
  const make = async (): Promise<void> => {
    const made = await call('createGroup', input);
    subject.value = '';
    people.value = '';
    onClose();
    onMade(made);
  };
  return (
    <FormDialog
      title={t.newGroup}
      verb={common().add}
      isOpen={isOpen}
      onClose={onClose}
      save={make}
      code={<AsCode operation="createGroup" input={input} />}
    >
      <Field
        label={t.subject}
        required
        maxLength={100}
        autocomplete="off"
        value={subject.value}
        onValue={(value) => (subject.value = value)}
      />
      <Field label={t.people} hint={t.peopleHint} required lines={4} value={people.value} onValue={(value) => (people.value = value)} />
    </FormDialog>
  );
}
