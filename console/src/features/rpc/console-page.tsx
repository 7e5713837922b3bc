/** The API console: every method of every version, made of rpc.discover; calls are made with the session. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { optionsOf, SearchField, SelectField, TextField } from '../../parts/field.tsx';
import { isObject, parseJson } from '../../parts/json.ts';
import { ErrorNotice, Notice, Waiting } from '../../parts/notice.tsx';
import { Card, Page } from '../../parts/page.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { useTask } from '../../parts/task.ts';
import { href, usePlaceState } from '../../platform/router/place.ts';
import { useShortcut } from '../../platform/router/shortcuts.ts';
import { apiVersion, callAny } from '../../platform/rpc/rpc.ts';
import { nowMs } from '../../platform/time/clock.ts';
import type { Acting } from './acting.ts';
import { CopyMenu } from './copy-menu.tsx';
import {
  type ApiDocument,
  type ApiVersion,
  byNamespace,
  initialParams,
  type Method,
  type OpenRpc,
  readDocument,
  versions,
} from './document.ts';
import { exchange, type Outcome } from './exchange.ts';
import { ExchangeView } from './exchange-view.tsx';
import { forget, type PastCall, readHistory, remember } from './history.ts';
import { ParamsForm } from './params-form.tsx';
import { type RunAs, RunAsField, useRunAs } from './run-as.tsx';
import './rpc.css';

/** The page. */
export default function ConsolePage() {
  const [search, change] = usePlaceState();
  const version = versions.find((each) => each === search.get('v')) ?? apiVersion;
  const query = useQuery({
    queryKey: ['rpc.discover', version],
    queryFn: ({ signal }) => callAny('rpc.discover', {}, { signal, version }) as Promise<OpenRpc>,
    placeholderData: keepPreviousData,
  });
  const runAs = useRunAs();
  const document = useMemo(() => (query.data ? readDocument(query.data) : null), [query.data]);
  const chooser = (
    <SelectField
      label="API version"
      isLabelHidden
      value={version}
      onChange={(v) => change({ v: v === apiVersion ? null : v })}
      options={versions.map((value) => ({ value, text: `Version ${value}` }))}
    />
  );
  return (
    <Page title="API console" isWide actions={chooser}>
      {query.error && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
      {document && <Methods document={document} version={version} runAs={runAs} search={search} />}
      {!document && !query.error && <Waiting />}
    </Page>
  );
}

function Methods({
  search,
  ...props
}: Pick<PanelProps, 'document' | 'version' | 'runAs'> & { search: URLSearchParams }) {
  const name = search.get('m') ?? 'service.selectItems';
  const initial = search.get('p');
  const method = props.document.methods.find((each) => each.name === name);
  return (
    <div className="rpc-grid">
      <MethodList {...props} chosen={name} />
      {method ? (
        <MethodPanel
          key={`${props.version} ${name} ${initial ?? ''}`}
          {...props}
          method={method}
          initial={initial}
        />
      ) : (
        <Notice mood="warn">
          Version {props.version} has no method {name}.
        </Notice>
      )}
    </div>
  );
}

function placeOf(method: string, version: string, params?: unknown): string {
  const v = version === apiVersion ? null : version;
  return href('/console', { m: method, v, p: params === undefined ? null : JSON.stringify(params) });
}

function MethodList({
  document,
  version,
  chosen,
}: Pick<PanelProps, 'document' | 'version'> & { chosen: string }) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = document.methods.filter(({ name, summary = '', 'x-synonyms': synonyms = [] }) =>
    [name, summary, ...synonyms].join(' ').toLowerCase().includes(wanted),
  );
  return (
    <nav className="card rpc-methods" aria-label="Methods">
      <SearchField label="Find a method" value={text} onChange={setText} />
      {byNamespace(found).map(([namespace, methods]) => (
        <section key={namespace} aria-label={namespace}>
          <h2>{namespace}</h2>
          <ul>
            {methods.map(({ name }) => (
              <li key={name}>
                <a
                  className="list-item"
                  href={placeOf(name, version)}
                  aria-current={name === chosen ? 'page' : undefined}
                  ref={name === chosen ? bringIntoSight : undefined}
                >
                  {name.slice(namespace.length + 1)}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {found.length === 0 && <p className="quiet">No method matches.</p>}
    </nav>
  );
}

/** The list has a scroll bar of its own; the page is not moved. */
function bringIntoSight(link: HTMLAnchorElement | null): void {
  const list = link?.closest('nav');
  if (!link || !list) return;
  const [top, height] = [link.offsetTop - list.offsetTop, list.clientHeight];
  if (top < list.scrollTop || top > list.scrollTop + height - 40) list.scrollTop = top - height / 2;
}

interface PanelProps {
  runAs: RunAs;
  method: Method;
  document: ApiDocument;
  version: ApiVersion;
  /** Parameters of the address, as JSON. */
  initial: string | null;
}

function MethodPanel({ method, document, version, initial, runAs }: PanelProps) {
  const input = useParams(method, document, initial);
  const [history, setHistory] = useState(readHistory);
  const remembered = (call: PastCall) => setHistory(remember(call));
  const { outcome, run, stop, isPending } = useRun(method.name, version, runAs.acting, remembered);
  useOwnIntegration(method, runAs.acting, input.setParams);
  const { problem, value } = input.parsed;
  const send = () => problem === undefined && run(value ?? {});
  useShortcut('Mod+Enter', 'Run the call', 'API console', send);
  const forgetAll = () => {
    forget();
    setHistory([]);
  };
  return (
    <div className="stack">
      <Card
        title={method.name}
        note={method.summary}
        actions={
          <>
            <ScopeBadge method={method} isActing={runAs.acting !== null} />
            <Segments label="Parameters as" value={input.mode} onChange={input.choose} options={modes} />
          </>
        }
      >
        <ParamsInput method={method} document={document} input={input} outcome={outcome} />
        <RunAsField runAs={runAs} />
        <div className="line">
          <Button
            tone="primary"
            icon="play"
            onPress={() => void send()}
            isPending={isPending}
            isDisabled={problem !== undefined}
          >
            Run
          </Button>
          {isPending && <Button onPress={stop}>Stop</Button>}
          <CopyMenu
            calls={isObject(value) ? [{ method: method.name, params: value }] : []}
            version={version}
          />
        </div>
      </Card>
      {outcome && <ExchangeView outcome={outcome} />}
      <History calls={history} onForget={forgetAll} />
    </div>
  );
}

const modes = optionsOf({ form: 'Form', json: 'JSON' });

/** The parameters while they are edited: in fields, or as the text of their JSON. */
function useParams(method: Method, { schemas }: ApiDocument, initial: string | null) {
  const [params, setParams] = useState(() => readInitial(initial) ?? initialParams(method, schemas));
  const [mode, setMode] = useState<'form' | 'json'>('form');
  const [text, setText] = useState('');
  const parsed = mode === 'json' ? parseJson(text) : { value: params };
  const choose = (next: 'form' | 'json') => {
    if (next === 'json') setText(JSON.stringify(params, null, 2));
    else if (parsed.problem === undefined) setParams(isObject(parsed.value) ? parsed.value : {});
    if (next === 'json' || parsed.problem === undefined) setMode(next);
  };
  return { params, setParams, mode, choose, text, setText, parsed };
}

function ParamsInput({
  method,
  document,
  input: { mode, params, setParams, text, setText, parsed },
  outcome,
}: Pick<PanelProps, 'method' | 'document'> & {
  input: ReturnType<typeof useParams>;
  outcome: Outcome | null;
}) {
  const { 'x-synonyms': synonyms = [] } = method;
  const faults = outcome?.exchange?.answer?.error?.data?.params ?? {};
  return (
    <>
      {synonyms.length > 0 && (
        <p className="quiet small">
          Also called <code>{synonyms.join(', ')}</code>
        </p>
      )}
      {mode === 'form' ? (
        <ParamsForm
          method={method}
          document={document}
          params={params}
          onChange={setParams}
          faults={faults}
        />
      ) : (
        <TextField label="params" value={text} onChange={setText} isCode rows={18} error={parsed.problem} />
      )}
    </>
  );
}

/** An integration calls about itself: its ID is filled in. */
function useOwnIntegration(
  { params: parameters }: Method,
  acting: Acting | null,
  setParams: (change: (params: Record<string, unknown>) => Record<string, unknown>) => void,
) {
  const hasOne = parameters.some(({ name }) => name === 'integration');
  useEffect(() => {
    if (acting && hasOne) setParams((params) => ({ ...params, integration: acting.integration }));
  }, [acting, hasOne, setParams]);
}

function useRun(
  method: string,
  version: ApiVersion,
  acting: Acting | null,
  onDone: (call: PastCall) => void,
) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const { run: start, stop, isPending } = useTask();
  const run = async (params: unknown) => {
    const next = await start(async (signal): Promise<Outcome> => {
      try {
        const authorization = acting ? await acting.authorization() : null;
        return { exchange: await exchange({ method, params, version, authorization }, signal) };
      } catch (error) {
        if (signal.aborted) throw error;
        return { error };
      }
    });
    if (next === null) return;
    setOutcome(next);
    const { ms, answer } = next.exchange ?? {};
    if (ms === undefined) return;
    onDone({ method, version, params, atMs: nowMs(), ms, isDone: answer?.result !== undefined });
  };
  return { outcome, run, stop, isPending };
}

/** The grant that the method needs; a warning where who is chosen cannot have it. */
function ScopeBadge({ method, isActing }: { method: Method; isActing: boolean }) {
  const { name, 'x-scope': scope = '' } = method;
  if (scope === '') return null;
  if (!isActing && name.startsWith('integration.')) return <Badge tone="warn">for integrations only</Badge>;
  if (isActing && name.startsWith('console.')) return <Badge tone="warn">for people only</Badge>;
  return <Badge>{scope}</Badge>;
}

function History({ calls, onForget }: { calls: readonly PastCall[]; onForget(): void }) {
  if (calls.length === 0) return null;
  return (
    <Card
      title="History"
      note="In this browser only. Calls with a password or secret are not kept."
      actions={
        <Button isTiny icon="trash" onPress={onForget}>
          Clear
        </Button>
      }
      isFlush
    >
      <ul className="rpc-history">
        {calls.map((call) => (
          <li key={`${call.atMs} ${call.method}`}>
            <a className="list-item" href={placeOf(call.method, call.version, call.params)}>
              <b>{call.method}</b>
              <code className="grow cut quiet">{JSON.stringify(call.params)}</code>
              <span className="quiet small figures">
                {call.version} · {call.isDone ? '' : 'failed · '}
                {Math.round(call.ms)} ms
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function readInitial(text: string | null): Record<string, unknown> | null {
  const { value } = parseJson(text ?? '');
  return isObject(value) ? value : null;
}
