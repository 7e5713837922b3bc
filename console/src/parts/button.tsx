/** Buttons and links that look like buttons. */
import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps, Tooltip, TooltipTrigger } from 'react-aria-components';
import { Icon, type IconName } from './icon.tsx';

/** The emphasis of a button; `danger` is for actions that cannot be undone. */
export type Tone = 'normal' | 'primary' | 'plain' | 'danger' | 'danger primary';

/** What a {@link Button} takes. */
export interface PressProps extends Omit<ButtonProps, 'children' | 'className'> {
  children?: ReactNode;
  tone?: Tone;
  icon?: IconName;
  isTiny?: boolean;
}

/** A button with a text. While `isPending` it shows a spinner and cannot be pressed. */
export function Button({ children, tone = 'normal', icon, isTiny = false, ...rest }: PressProps) {
  return (
    <AriaButton {...rest} className={classOf(tone, isTiny)}>
      {rest.isPending ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  );
}

/** A button with an icon only: `label` is its name, shown as a tooltip. */
export function IconButton({
  label,
  icon,
  tone = 'plain',
  isTiny = false,
  ...rest
}: Omit<PressProps, 'children'> & { label: string; icon: IconName }) {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton {...rest} aria-label={label} className={`${classOf(tone, isTiny)} icon-only`}>
        <Icon name={icon} />
      </AriaButton>
      <Tooltip className="tooltip" offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}

interface ListButtonProps {
  isCurrent: boolean;
  onPress(): void;
  children: ReactNode;
}

/** An entry of a list that can be pressed; `isCurrent` marks the one that is shown. */
export function ListButton({ isCurrent, onPress, children }: ListButtonProps) {
  return (
    <button
      type="button"
      className="list-item list-button bare grow"
      aria-current={isCurrent ? 'true' : undefined}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

interface LinkButtonProps extends Pick<PressProps, 'children' | 'tone' | 'icon'> {
  to: string;
}

/** A link that looks like a button. */
export function LinkButton({ to, children, tone = 'normal', icon }: LinkButtonProps) {
  return (
    <a href={to} className={classOf(tone, false)}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}

function classOf(tone: Tone, isTiny: boolean): string {
  return `button${tone === 'normal' ? '' : ` ${tone}`}${isTiny ? ' tiny' : ''}`;
}
