import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Listing } from '../../ui/listing.tsx';
import { useNews } from '../../ui/news.ts';
import { Bones, Failure, Loaded } from '../../ui/states.tsx';
import { numberText } from '../../words/formats.ts';
import { words } from './network-words.ts';

type Channel = Schemas['Channel'];

export function Channels({ sessionId }: { readonly sessionId: string }): JSX.Element {
  const t = words();
  const channels = useResource(sessionId, (signal) => call('listChannels', { params: { sessionId } }, { signal }));
  useNews(channels, ({ type, session_id }) => session_id === sessionId && type.startsWith('channel.'));
  return (
    <div class="stack">
      <Follow sessionId={sessionId} onFollowed={channels.reload} />
      <Loaded of={channels} loading={<Bones count={2} />}>
        {({ channels: list }) => (
          <Listing of={list} empty={<p class="soft">{t.noChannels}</p>}>
            {(channel) => <Row key={channel.id} sessionId={sessionId} channel={channel} onLeft={channels.reload} />}
          </Listing>
        )}
      </Loaded>
    </div>
  );
}

interface FollowProps {
  readonly sessionId: string;
  readonly onFollowed: () => void;
}

function Follow({ sessionId, onFollowed }: FollowProps): JSX.Element {
  const t = words();
  const invite = useSignal('');
  const acting = useAct();
  const follow = (): Promise<void> =>
    acting.run(async () => {
      const code =
        invite.value
          .trim()
          .replace(/[?#].*$/, '')
          .split('/')
          .findLast((part) => part !== '') ?? '';
      const { id: channelId } = await call('getChannelByInvite', { params: { sessionId, code } });
      await call('followChannel', { params: { sessionId, channelId } });
      invite.value = '';
      onFollowed();
    });
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void follow();
      }}
    >
      <Field
        label={t.channelInvite}
        hint={t.channelInviteHint}
        required
        autocomplete="off"
        value={invite.value}
        onValue={(value) => (invite.value = value)}
      />
      {acting.error.value && <Failure error={acting.error.value} />}
      <div class="row">
        <button type="submit" class="button slim" disabled={acting.isBusy.value}>
          {t.follow}
        </button>
      </div>
    </form>
  );
}

interface RowProps {
  readonly sessionId: string;
  readonly channel: Channel;
  readonly onLeft: () => void;
}

function Row({ sessionId, channel, onLeft }: RowProps): JSX.Element {
  const t = words();
  const { id: channelId, name, followers, role } = channel;
  const isLeaving = useSignal(false);
  const acting = useAct();
  const close = (): void => {
    isLeaving.value = false;
  };
  const unfollow = (): Promise<void> =>
    acting.run(async () => {
      await call('unfollowChannel', { params: { sessionId, channelId } }).finally(close);
      onLeft();
    });
  return (
    <li data-testid="channel-row">
      <div class="line">
        <div class="grow">
          <strong class="breaks">{name}</strong>
          <p class="soft small">
            {t.followers(followers, numberText(followers))}
            {role !== null && ` · ${t.roles[role]}`}
          </p>
        </div>
        {role === 'follower' && (
          <button
            type="button"
            class="button slim"
            aria-haspopup="dialog"
            aria-label={t.unfollowOf(name)}
            onClick={() => (isLeaving.value = true)}
          >
            {t.unfollow}
          </button>
        )}
      </div>
      {acting.error.value && <Failure error={acting.error.value} />}
      <Confirm
        title={t.unfollowOf(name)}
        verb={t.unfollow}
        isOpen={isLeaving.value}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={unfollow}
      >
        <p>{t.unfollowAsk}</p>
        <AsCode operation="unfollowChannel" input={{ params: { sessionId, channelId } }} />
      </Confirm>
    </li>
  );
}
