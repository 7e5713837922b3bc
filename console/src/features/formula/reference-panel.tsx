/** The functions of the language, to look up, try and put in. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { SearchField } from '../../parts/field.tsx';
import { notifyError } from '../../parts/toast.tsx';
import { call } from '../../platform/rpc/rpc.ts';
import { type Example, exampleParams, isRunnable, printExample } from './example.ts';
import { families, functions, names } from './language.ts';
import './formula.css';

/** Every function with its examples; `onInsert` takes a text for the formula that was edited last. */
export function ReferencePanel({ onInsert }: { onInsert(text: string): void }) {
  const [text, setText] = useState('');
  const found = functions.filter(({ name, meaning }) =>
    `${name} ${meaning}`.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <div className="reference">
      <SearchField label="Find a function" value={text} onChange={setText} />
      <div className="reference-list">
        {Object.entries(families).map(([family, title]) => {
          const members = found.filter((each) => each.family === family);
          if (members.length === 0) return null;
          return (
            <section key={family} aria-label={title}>
              <h3>{title}</h3>
              {members.map(({ name, signature, meaning, examples }) => (
                <Entry key={name} word={signature} meaning={meaning} text={`${name}()`} onInsert={onInsert}>
                  <ul className="reference-examples">
                    {examples.map((example) => (
                      <ExampleRow key={example.formula} example={example} />
                    ))}
                  </ul>
                </Entry>
              ))}
            </section>
          );
        })}
        {text === '' && <Names onInsert={onInsert} />}
        {found.length === 0 && <p className="quiet">No function matches.</p>}
      </div>
    </div>
  );
}

interface EntryProps {
  word: string;
  meaning: string;
  text: string;
  onInsert(text: string): void;
  children?: ReactNode;
}

/** A word of the language, with a button that inserts `text`. */
function Entry({ word, meaning, text, onInsert, children }: EntryProps) {
  return (
    <details className="reference-entry">
      <summary>
        <code>{word}</code>
      </summary>
      <div className="stack-tight">
        <p>{meaning}</p>
        {children}
        <div className="line">
          <Button isTiny icon="plus" onPress={() => onInsert(text)}>
            Insert into the formula
          </Button>
        </div>
      </div>
    </details>
  );
}

/** An example; it can be computed by the service, so that it is seen to be true. */
function ExampleRow({ example }: { example: Example }) {
  const [result, setResult] = useState<string | null>(null);
  const run = useMutation({
    mutationFn: () => call('service.evaluate', exampleParams(example)),
    onSuccess: ({ data }) => setResult(printExample(data)),
    onError: notifyError,
  });
  return (
    <li>
      <span>
        <code>{example.formula}</code>
        {example.given !== undefined && (
          <>
            {' where a is '}
            <code>{example.given}</code>
          </>
        )}
        {' gives '}
        <code>{example.gives}</code>
      </span>
      {isRunnable(example) && (
        <Button
          isTiny
          icon="play"
          isPending={run.isPending}
          onPress={() => run.mutate()}
          aria-label={`Run ${example.formula}`}
        >
          Run
        </Button>
      )}
      <span role="status" className="small">
        {result !== null && (
          <>
            The service says <code>{result}</code>
          </>
        )}
      </span>
    </li>
  );
}

function Names({ onInsert }: { onInsert(text: string): void }) {
  return (
    <section aria-label="Constants and variables">
      <h3>Constants and variables</h3>
      {names.map(({ name, meaning }) => (
        <Entry key={name} word={name} meaning={meaning} text={name} onInsert={onInsert} />
      ))}
      <p className="quiet small">
        Operators, from tight to loose: <code>**</code> <code>- + !</code> <code>* / %</code> <code>+ -</code>{' '}
        <code>&lt; &lt;= &gt; &gt;=</code> <code>== !=</code> <code>&amp;&amp;</code> <code>||</code>{' '}
        <code>? :</code>. A formula sees items and the calculations above it.
      </p>
    </section>
  );
}
