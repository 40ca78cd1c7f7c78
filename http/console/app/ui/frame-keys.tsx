import type { JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../pages.ts';
import { person } from '../state/session.ts';
import { KeyList } from './key-list.tsx';
import { isKeyListOpen } from './key-list-open.ts';
import { useKeys, usePrefix } from './keys.ts';

interface FrameKeysProps {
  readonly onRail: () => void;
}

export function FrameKeys({ onRail }: FrameKeysProps): JSX.Element | null {
  const { route } = useLocation();
  const isOwner = person.value?.role === 'admin';
  const to = (path: string) => (): void => route(BASE + path);
  usePrefix();
  useKeys({
    '?': () => (isKeyListOpen.value = true),
    '[': onRail,
    n: () => document.querySelector<HTMLElement>('main [data-testid="new-conversation"]')?.click(),
    'g i': to('/inbox'),
    ...(isOwner && {
      'g h': to('/'),
      'g p': to('/contacts'),
      'g c': to('/campaigns'),
      'g r': to('/analytics'),
      'g s': to('/settings'),
    }),
  });
  return isKeyListOpen.value ? <KeyList onClose={() => (isKeyListOpen.value = false)} /> : null;
}
