/** The parameters of a method as a form made of their schemas, or as JSON. */
import { useState } from 'react';
import { SelectField, TextField } from '../../parts/field.tsx';
import {
  type ApiDocument,
  describeSchema,
  fieldKind,
  type Method,
  membersOf,
  type Parameter,
  resolveSchema,
  type Schema,
} from './document.ts';

/** What {@link ParamsForm} takes. */
export interface ParamsFormProps {
  method: Method;
  document: ApiDocument;
  params: Readonly<Record<string, unknown>>;
  onChange(params: Record<string, unknown>): void;
  /** What the service said of parameters, by path. */
  faults: Readonly<Record<string, readonly string[]>>;
}

/** A field for each parameter. An empty field leaves the parameter out. */
export function ParamsForm({ method, document, params, onChange, faults }: ParamsFormProps) {
  if (method.parameters.length === 0) return <p className="quiet">This method has no parameters.</p>;
  const change = (name: string, value: unknown) => {
    const { [name]: _, ...others } = params;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  return (
    <div className="form">
      {method.parameters.map((parameter) => (
        <ParamField
          key={`${method.name} ${parameter.name}`}
          parameter={parameter}
          document={document}
          value={params[parameter.name]}
          onChange={(value) => change(parameter.name, value)}
          path={parameter.name}
          faults={faults}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  parameter: Parameter;
  document: ApiDocument;
  value: unknown;
  onChange(value: unknown): void;
  /** From the parameter down: `query.limit`. */
  path: string;
  faults: ParamsFormProps['faults'];
}

function ParamField(props: FieldProps) {
  const { parameter, document, value, onChange, path, faults } = props;
  const fault = faultOf(faults, path);
  const schema = resolveSchema(parameter.schema, document.schemas);
  const label = parameter.isRequired ? `${parameter.name} (required)` : parameter.name;
  const hint = [describeSchema(schema), parameter.schema.description ?? schema.description]
    .filter(Boolean)
    .join(' · ');
  switch (fieldKind(schema)) {
    case 'flag':
      return (
        <SelectField
          label={label}
          hint={hint}
          error={fault}
          value={value === undefined ? 'unset' : String(value)}
          onChange={(text) => onChange(text === 'unset' ? undefined : text === 'true')}
          options={[
            { value: 'unset', text: 'left out' },
            { value: 'true', text: 'true' },
            { value: 'false', text: 'false' },
          ]}
        />
      );
    case 'choice': {
      const texts = (schema.enum ?? []).map(String);
      return (
        <SelectField
          label={label}
          hint={hint}
          error={fault}
          value={value === undefined ? 'left out' : String(value)}
          onChange={(text) => onChange(text === 'left out' ? undefined : schema.enum?.[texts.indexOf(text)])}
          options={['left out', ...texts].map((text) => ({ value: text, text }))}
        />
      );
    }
    case 'text':
      return (
        <TextField
          label={label}
          hint={hint}
          error={fault}
          value={typeof value === 'string' ? value : ''}
          onChange={(text) => onChange(text === '' && !parameter.isRequired ? undefined : text)}
          isCode
          type={/password|secret/i.test(parameter.name) ? 'password' : 'text'}
          autoComplete="off"
        />
      );
    case 'scalar':
      return (
        <TextField
          label={label}
          hint={hint}
          error={fault}
          value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
          onChange={(text) => onChange(scalarOf(text, schema))}
          isCode
          autoComplete="off"
        />
      );
    case 'object':
      if (path.split('.').length <= levelsMax) return <ObjectField {...props} label={label} />;
      return <JsonField {...props} label={label} hint={hint} />;
    default:
      return <JsonField {...props} label={label} hint={hint} />;
  }
}

/** A number where that is one of the alternatives and the text is one, else the text; undefined when it is empty. */
function scalarOf(text: string, { anyOf = [] }: Schema): unknown {
  if (text === '') return undefined;
  const takesNumbers = anyOf.some(({ type }) => type === 'integer' || type === 'number');
  return takesNumbers && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Objects within objects have fields of their own this deep; below that they are JSON. */
const levelsMax = 3;

/** A field for each member; without any the whole is left out, if it may be. */
function ObjectField({
  parameter,
  document,
  value,
  onChange,
  path,
  faults,
  label,
}: FieldProps & { label: string }) {
  const schema = resolveSchema(parameter.schema, document.schemas);
  const members = isObject(value) ? value : {};
  const change = (name: string, member: unknown) => {
    const { [name]: _, ...others } = members;
    const next = member === undefined ? others : { ...others, [name]: member };
    onChange(Object.keys(next).length === 0 && !parameter.isRequired ? undefined : next);
  };
  return (
    <fieldset className="rpc-object">
      <legend className="field-label">{label}</legend>
      {faults[path] && <p className="field-error">{faults[path].join('; ')}</p>}
      {Object.entries(schema.properties ?? {}).map(([name, member]) => (
        <ParamField
          key={name}
          parameter={{ name, isRequired: schema.required?.includes(name) ?? false, schema: member }}
          document={document}
          value={members[name]}
          onChange={(next) => change(name, next)}
          path={`${path}.${name}`}
          faults={faults}
        />
      ))}
    </fieldset>
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Numbers, lists and objects: as JSON; what is no JSON stays in the field and is not taken over. */
function JsonField({
  value,
  onChange,
  label,
  hint,
  parameter,
  document,
  path,
  faults,
}: FieldProps & { label: string; hint: string }) {
  const printed = value === undefined ? '' : JSON.stringify(value, null, 2);
  const [text, setText] = useState(printed);
  const [known, setKnown] = useState(printed);
  const [problem, setProblem] = useState<string | undefined>();
  if (known !== printed) {
    // Changed from elsewhere, or by this field: then the text already says it.
    setKnown(printed);
    if (!saysSame(text, value)) setText(printed);
  }
  const change = (next: string) => {
    setText(next);
    const parsed = parseJson(next);
    setProblem(parsed.problem);
    if (parsed.problem === undefined) onChange(parsed.value);
  };
  const isNumber = fieldKind(resolveSchema(parameter.schema, document.schemas)) === 'number';
  return (
    <div className="stack-tight">
      <TextField
        label={label}
        hint={hint}
        error={problem ?? faultOf(faults, path)}
        value={text}
        onChange={change}
        isCode
        rows={isNumber ? 1 : Math.min(16, Math.max(2, text.split('\n').length))}
      />
      <Members parameter={parameter} document={document} />
    </div>
  );
}

/** What an object may have in it. */
function Members({ parameter, document }: Pick<FieldProps, 'parameter' | 'document'>) {
  const members = membersOf(parameter.schema, document.schemas);
  if (members.length === 0) return null;
  return (
    <details className="rpc-members">
      <summary>Fields of {parameter.name}</summary>
      <dl>
        {members.map(({ path, type, description, isRequired }) => (
          <div key={path}>
            <dt>
              <code>{path}</code> {isRequired && <span className="small">required</span>}
            </dt>
            <dd className="small quiet">{[type, description].filter(Boolean).join(' · ')}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Reads JSON; an empty text is no value. */
export function parseJson(text: string): { value?: unknown; problem?: string } {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function saysSame(text: string, value: unknown): boolean {
  const parsed = parseJson(text);
  return parsed.problem === undefined && JSON.stringify(parsed.value) === JSON.stringify(value);
}

function faultOf(faults: ParamsFormProps['faults'], name: string): string | undefined {
  const mine = Object.entries(faults).filter(([path]) => path === name || path.startsWith(`${name}.`));
  if (mine.length === 0) return undefined;
  return mine
    .map(([path, messages]) => `${path === name ? '' : `${path}: `}${messages.join('; ')}`)
    .join('; ');
}
