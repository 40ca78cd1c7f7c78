import { signal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';

/** Shows a component once its module has loaded. Pages that do not show it, such as sign-in, stay small. */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => JSX.Element | null {
  const loaded = signal<{ readonly Component: ComponentType<Props> } | null>(null);
  return function Late(props: Props): JSX.Element | null {
    useEffect(() => {
      load().then(
        (Component) => (loaded.value = { Component }),
        () => {},
      );
    }, []);
    return loaded.value && <loaded.value.Component {...props} />;
  };
}
