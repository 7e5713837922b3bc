/** The parameters of a method as a form made of their schemas, or as JSON. */
import { useState } from 'react';
import { SelectField, TextField } from '../../parts/field.tsx';
import { isObject, parseJson, saysSame } from '../../parts/json.ts';
import {
  type ApiDocument,
  describeSchema,
  fieldKind,
  type Method,
  membersOf,
  type Parameter,
  resolveSchema,
} from './document.ts';
import { faultOf, scalarOf } from './params.ts';
import './rpc.css';

interface Props {
  method: Method;
  document: ApiDocument;
  params: Readonly<Record<string, unknown>>;
  onChange(params: Record<string, unknown>): void;
  /** Errors of the service, by the path of the parameter. */
  faults: Readonly<Record<string, readonly string[]>>;
}

/** A field for each parameter. An empty field leaves the parameter out. */
export function ParamsForm({ method, document, params, onChange, faults }: Props) {
  if (method.params.length === 0) return <p className="quiet">This method has no parameters.</p>;
  return (
    <div className="form">
      <MemberFields
        key={method.name}
        members={method.params}
        values={params}
        prefix=""
        {...{ document, onChange, faults }}
      />
    </div>
  );
}

interface MemberFieldsProps extends Pick<Props, 'document' | 'onChange' | 'faults'> {
  members: readonly Parameter[];
  values: Props['params'];
  /** Before the names of the members in their paths. */
  prefix: string;
}

/** A field for each member of an object; one whose value is undefined is left out. */
function MemberFields({ members, values, prefix, document, onChange, faults }: MemberFieldsProps) {
  const change = (name: string, value: unknown) => {
    const { [name]: _, ...others } = values;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  return members.map((member) => (
    <ParamField
      key={member.name}
      parameter={member}
      value={values[member.name]}
      onChange={(value) => change(member.name, value)}
      path={`${prefix}${member.name}`}
      {...{ document, faults }}
    />
  ));
}

interface FieldProps {
  parameter: Parameter;
  document: ApiDocument;
  value: unknown;
  onChange(value: unknown): void;
  /** From the parameter down: `query.limit`. */
  path: string;
  faults: Props['faults'];
}

function ParamField(props: FieldProps) {
  const { parameter, document, value, onChange, path, faults } = props;
  const { name, required } = parameter;
  const schema = resolveSchema(parameter.schema, document.schemas);
  const label = required ? `${name} (required)` : name;
  const hint = [describeSchema(schema), schema.description].filter(Boolean).join(' · ');
  const common = { label, hint, error: faultOf(faults, path) };
  switch (fieldKind(schema)) {
    case 'flag':
      return <ChoiceField {...common} value={value} onChange={onChange} values={[true, false]} />;
    case 'choice':
      return <ChoiceField {...common} value={value} onChange={onChange} values={schema.enum ?? []} />;
    case 'text':
      return (
        <TextField
          {...common}
          value={typeof value === 'string' ? value : ''}
          onChange={(text) => onChange(text === '' && !required ? undefined : text)}
          isCode
          type={/password|secret/i.test(name) ? 'password' : 'text'}
          autoComplete="off"
        />
      );
    case 'scalar':
      return (
        <TextField
          {...common}
          value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
          onChange={(text) => onChange(scalarOf(text, schema))}
          isCode
          autoComplete="off"
        />
      );
    case 'object':
      if (path.split('.').length <= levelsMax) return <ObjectField {...props} label={label} />;
      break;
  }
  return <JsonField {...props} label={label} hint={hint} />;
}

const leftOut = 'left out';

/** One of a few values, or none. */
function ChoiceField({
  value,
  onChange,
  values,
  ...common
}: { label: string; hint: string; error: string | undefined } & Pick<FieldProps, 'value' | 'onChange'> & {
    values: readonly unknown[];
  }) {
  const texts = values.map(String);
  return (
    <SelectField
      {...common}
      value={value === undefined ? leftOut : String(value)}
      onChange={(text) => onChange(text === leftOut ? undefined : values[texts.indexOf(text)])}
      options={[leftOut, ...texts].map((text) => ({ value: text, text }))}
    />
  );
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
  const { properties = {}, required } = resolveSchema(parameter.schema, document.schemas);
  const members = Object.entries(properties).map(([name, schema]) => {
    return { name, required: required?.includes(name) ?? false, schema };
  });
  const change = (next: object) =>
    onChange(Object.keys(next).length === 0 && !parameter.required ? undefined : next);
  return (
    <fieldset className="rpc-object field-group">
      <legend className="field-label">{label}</legend>
      {faults[path] && <p className="field-error">{faults[path].join('; ')}</p>}
      <MemberFields
        members={members}
        values={isObject(value) ? value : {}}
        prefix={`${path}.`}
        onChange={change}
        {...{ document, faults }}
      />
    </fieldset>
  );
}

/** Numbers, lists and objects: as JSON; text that is not JSON stays in the field and changes nothing. */
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
