import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { person } from '../../state/session.ts';
import { unread } from '../../state/unread.ts';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { useDismiss } from '../../ui/dismiss.ts';
import { Icon } from '../../ui/icon.tsx';
import { UnreadCount } from '../../ui/unread.tsx';
import type { Filters } from './list-state.ts';
import { words } from './words.ts';

interface FilterBarProps {
  readonly filters: Filters;
  readonly devices: readonly Schemas['Session'][];
  readonly agents: readonly Schemas['Agent'][];
  /** `isStep` is true if the change is a step in the browser's history. */
  readonly onFilters: (filters: Filters, isStep: boolean) => void;
  readonly children: ComponentChildren;
}

const FILTERED = ['status', 'session_id', 'unread', 'snoozed'] as const;
const STATUSES = ['open', 'pending', 'resolved'] as const;
const PAUSE_MS = 250;

export function FilterBar({ filters, devices, agents, onFilters, children }: FilterBarProps): JSX.Element {
  const t = words();
  const typed = useSignal(filters.q ?? '');
  const isOpen = useSignal(false);
  const menu = useRef<HTMLDetailsElement>(null);
  useDismiss(menu, isOpen.value, () => (isOpen.value = false), 'summary');
  const latest = useRef(filters);
  latest.current = filters;
  useEffect(() => {
    typed.value = filters.q ?? '';
  }, [filters.q]);
  useEffect(() => {
    if (typed.value === (filters.q ?? '')) return;
    const timer = setTimeout(() => onFilters({ ...latest.current, q: typed.value.trim() }, false), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);
  const who = person.value;
  const tabs = [
    ['mine', t.mine, who?.agent_id ?? ''],
    ['unassigned', t.nobody, 'none'],
    ['all', t.all, ''],
  ] as const;
  return (
    <search class="inbox-filters" aria-label={t.search}>
      <div class="inbox-begin">
        <p class="inbox-title" aria-hidden="true">
          {t.title}
        </p>
        <details class="filter-menu" ref={menu} open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
          <summary class="button slim" data-testid="filter-menu">
            <Icon small name="filter" />
            {t.filters(FILTERED.filter((name) => filters[name]).length)}
          </summary>
          <div class="filter-row">
            <select
              aria-label={t.status}
              data-testid="filter-status"
              value={filters.status ?? ''}
              onChange={(event) => onFilters({ ...filters, status: event.currentTarget.value }, true)}
            >
              <option value="">{t.anyStatus}</option>
              {STATUSES.map((one) => (
                <option key={one} value={one}>
                  {t.statuses[one]}
                </option>
              ))}
            </select>
            <select
              aria-label={t.assigned}
              data-testid="filter-agent"
              value={filters.agent_id ?? ''}
              onChange={(event) => onFilters({ ...filters, agent_id: event.currentTarget.value }, true)}
            >
              <option value="">{t.anybody}</option>
              <option value="none">{t.nobody}</option>
              {who?.role === 'agent' && <option value={who.agent_id}>{t.me}</option>}
              {agents.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </select>
            {devices.length > 1 && (
              <select
                aria-label={t.device}
                data-testid="filter-device"
                value={filters.session_id ?? ''}
                onChange={(event) => onFilters({ ...filters, session_id: event.currentTarget.value }, true)}
              >
                <option value="">{t.anyDevice}</option>
                {devices.map((one) => (
                  <option key={one.id} value={one.id}>
                    {nameOfDevice(one)}
                  </option>
                ))}
              </select>
            )}
            <label class="check small">
              <input
                type="checkbox"
                checked={filters.unread === 'true'}
                onChange={(event) => onFilters({ ...filters, unread: event.currentTarget.checked ? 'true' : '' }, true)}
              />
              {t.unread}
            </label>
            <label class="check small">
              <input
                type="checkbox"
                checked={filters.snoozed === 'true'}
                onChange={(event) => onFilters({ ...filters, snoozed: event.currentTarget.checked ? 'true' : '' }, true)}
              />
              {t.onlySnoozed}
            </label>
          </div>
        </details>
        {children}
      </div>
      <div class="search-field">
        <Icon name="search" small />
        <input
          type="search"
          aria-label={t.search}
          placeholder={t.search}
          data-testid="filter-search"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
      </div>
      <fieldset class="inbox-tabs">
        <legend class="only-heard">{t.assigned}</legend>
        {tabs.map(([name, label, agent]) => (
          <button
            key={name}
            type="button"
            class="tab"
            data-testid={`tab-${name}`}
            aria-pressed={(filters.agent_id ?? '') === agent}
            onClick={() => onFilters({ ...filters, agent_id: agent }, true)}
          >
            {label}
            <UnreadCount count={unread.value[name]} />
          </button>
        ))}
      </fieldset>
    </search>
  );
}
