/** Form fields: a label, a control, a hint and an error message, associated for assistive technology. */
import type { ReactNode } from 'react';
import {
  SearchField as AriaSearchField,
  TextField as AriaTextField,
  Button,
  Checkbox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Radio,
  RadioGroup,
  Select,
  SelectValue,
  Switch,
  Text,
  TextArea,
} from 'react-aria-components';
import { Icon } from './icon.tsx';

/** What every field has. */
export interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** The error of the value, from the service or the page. */
  error?: string | undefined;
  isRequired?: boolean;
  isDisabled?: boolean;
}

interface TextProps extends FieldProps {
  value: string;
  onChange(value: string): void;
  name?: string;
  type?: 'text' | 'password' | 'url' | 'number' | 'datetime-local';
  placeholder?: string;
  autoComplete?: string;
  autoFocus?: boolean;
  /** The number of rows; more than one makes it a text area. */
  rows?: number;
  /** Code: monospaced, without spelling corrections. */
  isCode?: boolean;
  maxLength?: number;
}

/** A field of text. */
export function TextField({ label, hint, error, rows = 1, isCode, placeholder, ...rest }: TextProps) {
  const spelling = isCode ? { spellCheck: 'false' as const, autoCorrect: 'off', autoCapitalize: 'off' } : {};
  return (
    <AriaTextField {...omitEmpty(rest)} {...spelling} {...faultOf(error)} className="field">
      <Label className="field-label">{label}</Label>
      {rows > 1 ? (
        <TextArea rows={rows} className={isCode ? 'code' : ''} placeholder={placeholder ?? ''} />
      ) : (
        <Input className={isCode ? 'input mono' : 'input'} placeholder={placeholder ?? ''} />
      )}
      <Below hint={hint} error={error} />
    </AriaTextField>
  );
}

interface Option<Value extends string = string> {
  value: Value;
  text: string;
  /** A note next to the text. */
  note?: string;
}

/** Values with their names as the options of a choice. */
export function optionsOf<Value extends string>(names: Readonly<Record<Value, string>>): Option<Value>[] {
  return Object.entries<string>(names).map(([value, text]) => ({ value: value as Value, text }));
}

/** A choice from a list. */
export function SelectField<Value extends string>({
  label,
  hint,
  error,
  value,
  onChange,
  options,
  isLabelHidden = false,
  ...rest
}: FieldProps & {
  value: Value | null;
  onChange(value: Value): void;
  options: readonly Option<Value>[];
  isLabelHidden?: boolean;
}) {
  return (
    <Select
      {...omitEmpty(rest)}
      className="field"
      value={value}
      onChange={(key) => key !== null && onChange(String(key) as Value)}
      {...faultOf(error)}
      placeholder="Choose …"
    >
      <Label className={isLabelHidden ? 'hidden-text' : 'field-label'}>{label}</Label>
      <Button className="select-button">
        <SelectValue className="react-aria-SelectValue grow cut">
          {({ selectedText, isPlaceholder, defaultChildren }) =>
            isPlaceholder ? defaultChildren : selectedText
          }
        </SelectValue>
        <Icon name="down" size={14} />
      </Button>
      <Below hint={hint} error={error} />
      <Popover className="popover">
        <ListBox className="list" items={options.map((option) => ({ id: option.value, ...option }))}>
          {(option) => <OptionRow option={option} />}
        </ListBox>
      </Popover>
    </Select>
  );
}

/** The option is one property, because the list passes its own `id` and `value` to its children. */
function OptionRow({ option: { value, text, note } }: { option: Option }) {
  return (
    <ListBoxItem id={value} textValue={text} className="list-item">
      {({ isSelected }) => (
        <>
          <span className="grow">
            {text}
            {note && <span className="quiet small">{` ${note}`}</span>}
          </span>
          {isSelected && <Icon name="check" size={14} />}
        </>
      )}
    </ListBoxItem>
  );
}

interface ToggleProps {
  children?: ReactNode;
  isSelected: boolean;
  onChange(isSelected: boolean): void;
  isDisabled?: boolean;
  /** The accessible name, if there is no visible label. */
  'aria-label'?: string;
}

/** A check box. */
export function CheckField({
  children,
  isIndeterminate = false,
  ...rest
}: ToggleProps & { isIndeterminate?: boolean }) {
  return (
    <Checkbox {...rest} className="check" isIndeterminate={isIndeterminate}>
      <span className="box">
        {isIndeterminate ? (
          <Icon name="minus" size={12} />
        ) : (
          rest.isSelected && <Icon name="check" size={12} />
        )}
      </span>
      {children && <span>{children}</span>}
    </Checkbox>
  );
}

/** A switch that takes effect immediately. */
export function SwitchField({ children, ...rest }: ToggleProps) {
  return (
    <Switch {...rest} className="switch">
      <span className="track">
        <span className="thumb" />
      </span>
      {children && <span>{children}</span>}
    </Switch>
  );
}

/** What a search field takes. */
export type SearchFieldProps = Pick<TextProps, 'label' | 'value' | 'onChange'>;

/** A search field; Escape clears it. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  return (
    <AriaSearchField aria-label={label} value={value} onChange={onChange} className="search">
      <Icon name="search" />
      <Input className="input" placeholder={label} data-search="" />
    </AriaSearchField>
  );
}

interface AutocompleteFieldProps {
  label: string;
  placeholder: string;
  className?: string;
}

/** The search field of an autocomplete, which has what is typed; it is focused when it appears. */
export function AutocompleteField({ label, placeholder, className = '' }: AutocompleteFieldProps) {
  return (
    <AriaSearchField aria-label={label} autoFocus className={`search ${className}`}>
      <Icon name="search" />
      <Input className="input" placeholder={placeholder} />
    </AriaSearchField>
  );
}

/** A choice among options with explanations. */
export function ChoiceField<Value extends string>({
  label,
  value,
  onChange,
  options,
}: {
  label: string;
  value: Value;
  onChange(value: Value): void;
  options: readonly Option<Value>[];
}) {
  return (
    <RadioGroup className="field" value={value} onChange={(next) => onChange(next as Value)}>
      <Label className="field-label">{label}</Label>
      <div className="stack-tight">
        {options.map((option) => (
          <Radio key={option.value} value={option.value} className="choice">
            <b>{option.text}</b>
            <span className="quiet small">{option.note}</span>
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}

function Below({ hint, error }: { hint?: ReactNode; error?: string | undefined }) {
  return (
    <>
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </>
  );
}

/** A reported error does not prevent the browser from submitting the form again, because the value may be valid by then. */
function faultOf(error: string | undefined): { isInvalid: boolean; validationBehavior: 'aria' | 'native' } {
  const isInvalid = error !== undefined;
  return { isInvalid, validationBehavior: isInvalid ? 'aria' : 'native' };
}

/** Omits undefined properties, which the controls do not accept. */
function omitEmpty<T extends object>(props: T): T {
  return Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined)) as T;
}
