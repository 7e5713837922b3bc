/** Chooses the colour of a state, for everyone who looks at the item. */
import { Menu } from '../../parts/menu.tsx';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { useEdit } from '../edit/use-edit.ts';
import { type Item, stateText } from './item.ts';
import { chosenColor, colorAnnotation, type StateColor, stateColors } from './state-color.ts';

/** A menu with the colours; empty for people who may not edit items. */
export function StateColorMenu({ item, state }: { item: Item; state: number }) {
  const isAdmin = useIsAdmin();
  const edit = useEdit({ kind: 'items' });
  if (!isAdmin) return null;
  const chosen = chosenColor(item, state);
  const name = stateText(item, state);
  const choose = (color: StateColor | null) =>
    edit.mutate({
      ids: [item.id],
      change: { annotations: { [colorAnnotation(state)]: color } },
      done: `Colour of “${name}” saved`,
    });
  return (
    <Menu
      label={`Colour of ${name}, ${item.name}`}
      isTiny
      entries={[
        { text: 'Automatic', isChecked: chosen === null, run: () => choose(null) },
        ...Object.entries(stateColors).map(([color, { name: text }]) => ({
          text,
          isChecked: chosen === color,
          run: () => choose(color as StateColor),
        })),
      ]}
    />
  );
}
