#!/usr/bin/env python3
"""Score extracted memories against the gold set: score.py GOLD_DIR PREDICTIONS.jsonl [--json] | --selftest.

A prediction line: {"id", "entries": [{"type", "field"?, "text", "peer"?, "status"?, "priority"?, "date"?}],
"tokens"?}. README.md explains formats and metrics. Standard library only, deterministic.
"""

import collections, glob, json, os, re, sys, unicodedata

MAX_TEXT = 600  # a longer entry is a dump, not a memory: it matches nothing
MAX_ITEMS = 2  # one entry may earn at most this many gold items
MAX_SAME = 2  # at most this many entries count as right for one gold item; more are repeats, and wrong
ISO = re.compile(r"\d{4}-\d\d-\d\d(?:t[\d:.+z-]*)?")
C = collections.Counter


def norm(s):
    s = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", str(s or "")).casefold())
    return " ".join(s.replace("\u2019", "'").split())


def has(hay, kw):
    """Substring; but a bare number or a one- or two-letter word must stand alone."""
    kw = norm(kw)
    if kw.isascii() and kw.isdigit():
        return bool(re.search(r"(?<!\d)(?<!\d[.,])" + kw + r"(?!\d)(?![.,]\d)", ISO.sub(" ", hay)))
    if len(kw) <= 2 and kw.isascii() and kw.isalpha():
        return bool(re.search(r"(?<![a-z])" + kw + r"(?![a-z])", hay))
    return kw in hay


def any_of(e, groups):
    hay = norm(f"{e.get('text') or ''} {e.get('date') or ''}")
    return any(all(has(hay, k) for k in g) for g in groups or [])


def peer_of(x):
    return re.sub("^self$", "", norm(x.get("peer")))


def superseded(e):
    return norm(e.get("status")) == "superseded"


def hits(e, bad):
    """Does this entry break this must_not? An entry kept as superseded may hold the stale value."""
    if "peer" in bad and peer_of(bad) != peer_of(e) or superseded(e) and bad["why"] == "stale":
        return False
    return any_of(e, bad["any_of"]) and not any_of(e, bad.get("unless"))


def matches(e, item):
    return (
        not superseded(e)
        and len(str(e.get("text") or "")) <= MAX_TEXT
        and any_of(e, item["any_of"])
        and peer_of(e) in [peer_of(item)] + item.get("also_peers", [])
    )


def typed(e, item):
    return norm(e.get("type")) in [item["type"]] + item.get("also", [])


def assign(edges, cap):
    """Maximum matching of rows to the columns they list, a column taking at most cap rows: the rows placed."""
    held = collections.defaultdict(list)

    def place(i, seen):
        for j in edges[i]:
            if j not in seen:
                seen.add(j)
                k = -1 if len(held[j]) < cap else next((k for k in list(held[j]) if place(k, seen)), None)
                if k is not None:
                    held[j] = [x for x in held[j] if x != k] + [i]
                    return True
        return False

    return {i for i in range(len(edges)) if place(i, set())}


def attr_ok(a, e, item):
    mine = norm(e.get(a)) or {"status": "pending"}.get(a, "")
    return (
        (mine[:10] if a == "date" else mine) == item[a].lower()
        or a == "date"
        and item[a] in norm(e.get("text"))
    )


def rates(c):
    r = {"must": c["must"], "entries": c["entries"]}
    for k, a, b in (
        ("recall", c["found"], c["must"]),
        ("recall_any", c["found_any"], c["must"]),
        ("precision", c["good"], c["entries"]),
        ("precision_typed", c["good_typed"], c["entries"]),
        ("precision_must", c["good"] - c["optional"], c["entries"] - c["optional"]),
    ):
        r[k] = round(a / b, 4) if b else None
    for k, a in (("f1", "recall"), ("f1_any", "recall_any")):
        x, y = r[a] or 0, r["precision"] or 0
        r[k] = round(2 * x * y / (x + y), 4) if x + y else 0.0
    return dict(r, violations=c["violations"])


def score(golds, preds):
    tot, attrs, tables = C(), {}, {"by_type": {}, "by_language": {}, "by_kind": {}}
    listed, typ = [], tables["by_type"]
    for g in golds:
        p = preds.get(g["id"]) or {}
        es = [e for e in p.get("entries") or [] if isinstance(e, dict)]
        c, must = C(tokens=p.get("tokens") or 0, transcripts=1), [i for i in g["items"] if i["must"]]
        ok = []
        for e in es:
            bad = [b for b in g["must_not"] if hits(e, b)]
            ok.append(not bad)
            listed += [{"id": g["id"], "why": b["why"], "text": str(e.get("text"))[:160]} for b in bad]
            for x in (c, typ.setdefault(norm(e.get("type")) or "?", C())):
                x["violations"] += len(bad)
        edges = {n: [j for j, e in enumerate(es) if ok[j] and matches(e, i)] for n, i in enumerate(must)}
        any_got = assign(edges, MAX_ITEMS)
        got = assign({n: [j for j in edges[n] if typed(es[j], i)] for n, i in enumerate(must)}, MAX_ITEMS)
        hit = [[n for n, i in enumerate(g["items"]) if ok[j] and matches(e, i)] for j, e in enumerate(es)]
        useful = assign(hit, MAX_SAME)  # the rest only say again what others said
        for n, i in enumerate(must):
            for x in (c, typ.setdefault(i["type"], C())):
                x.update(must=1, found=int(n in got), found_any=int(n in any_got))
            for a in ("date", "status", "priority", "field"):
                js = [
                    j
                    for j in edges[n]
                    if (a != "field" or norm(es[j].get("type")) == i["type"])
                    and (a != "priority" or "priority" in es[j])
                ]
                if n in any_got and i.get(a) and js:
                    attrs.setdefault(a, C()).update(n=1, right=int(any(attr_ok(a, es[j], i) for j in js)))
        for j, e in enumerate(es):
            if ok[j] and superseded(e):
                continue
            mine = [g["items"][n] for n in hit[j] if j in useful]
            for x in (c, typ[norm(e.get("type")) or "?"]):
                x.update(
                    entries=1,
                    good=int(bool(mine)),
                    good_typed=int(any(typed(e, i) for i in mine)),
                    optional=int(bool(mine) and not any(i["must"] for i in mine)),
                )
            c["repeats"] += bool(hit[j]) and not mine
        c.update(empty=int(g["expect_empty"]), left_empty=int(g["expect_empty"] and not es))
        tot.update(c)
        for table, names in (("by_language", [g["lang"]]), ("by_kind", g.get("kinds", []))):
            for k in names:
                tables[table].setdefault(k, C()).update(c)
    out = rates(tot)
    out.update(
        {k: tot[k] for k in ("transcripts", "repeats", "tokens", "empty", "left_empty")},
        empty_share=round(tot["left_empty"] / tot["empty"], 4) if tot["empty"] else None,
        attributes={
            a: {"n": s["n"], "accuracy": round(s["right"] / s["n"], 4)} for a, s in sorted(attrs.items())
        },
        violations_by_why=dict(sorted(C(v["why"] for v in listed).items())),
        violation_list=listed,
        missing=[g["id"] for g in golds if g["id"] not in preds],
        unknown_ids=sorted(set(preds) - {g["id"] for g in golds}),
    )
    return dict(out, **{t: {k: rates(c) for k, c in sorted(d.items())} for t, d in tables.items()})


def load(gold_dir, pred_file):
    golds, preds = [], {}
    for f in sorted(glob.glob(os.path.join(gold_dir, "gold", "*.json"))):
        golds.append(json.loads(open(f, "rb").read()))
    with open(pred_file, encoding="utf-8") as h:
        for n, line in enumerate(h, 1):
            try:
                p = json.loads(line) if line.strip() else None
                if p:
                    q = preds.setdefault(p["id"], {"entries": [], "tokens": 0})
                    q["entries"] += p.get("entries") or []
                    q["tokens"] += int(p.get("tokens") or 0)
            except (ValueError, KeyError, TypeError, AttributeError) as e:
                sys.exit(f"{pred_file}:{n}: not a prediction line ({e!r})")
    return (golds, preds) if golds else sys.exit(f"{gold_dir}: no gold/*.json here")


def show(r):
    def f(v):
        return "-" if v is None else f"{v:.3f}" if isinstance(v, float) else str(v)

    for k in [k for k, v in r.items() if not isinstance(v, (dict, list))]:
        print(f"{k:16} {f(r[k])}")
    cols = ("must", "entries", "recall", "recall_any", "precision", "f1", "violations")
    for t in ("by_type", "by_language", "by_kind"):
        print(f"\n{t:14}" + "".join(f"{x:>12}" for x in cols))
        for k, c in r[t].items():
            print(f"{k:14}" + "".join(f"{f(c[x]):>12}" for x in cols))
    for k in ("attributes", "violations_by_why", "missing", "unknown_ids"):
        print(f"\n{k}: {json.dumps(r[k], ensure_ascii=False)}")
    for v in r["violation_list"]:
        print(f"  {v['id']} [{v['why']}] {v['text']}")


def selftest():
    def item(t, *groups, must=True, **kw):
        return dict(
            {"type": t, "field": None, "any_of": [list(g) for g in groups], "turns": [0], "must": must}, **kw
        )

    gold = {
        "id": "a",
        "lang": "en",
        "kinds": ["update"],
        "expect_empty": False,
        "items": [
            item("preferences", ["tab"]),
            item("decisions", ["postgres"], also=["projects"]),
            item("actions", ["cert", "renew"], date="2026-03-26", status="pending"),
            item("notes", ["30"], must=False),
            item("profile", ["QA"], peer="sam", also_peers=["priya"], field="role"),
        ],
        "must_not": [
            {"why": "stale", "any_of": [["mysql"]], "unless": [["postgres"]]},
            {"why": "secret", "any_of": [["hunter2"]]},
            {"why": "someone else's fact", "any_of": [["qa"]], "peer": "self"},
        ],
    }
    none = {"id": "b", "lang": "zh", "expect_empty": True, "items": [], "must_not": []}

    def run(*es, b=()):
        return score([gold, none], {"a": {"entries": list(es)}, "b": {"entries": list(b)}})

    def e(t, text, **kw):
        return dict(type=t, text=text, **kw)

    full = [
        e("preferences", "Wants \uff34\uff21\uff22\uff33"),
        e("projects", "PostgreSQL, not MySQL"),
        e("actions", "Renew the cert", date="2026-03-26"),
        e("profile", "QA", peer="Priya", field="role"),
    ]
    r = run(*full)
    assert (r["recall"], r["precision"], r["f1"], r["violations"], r["empty_share"]) == (1, 1, 1, 0, 1), r
    assert r["attributes"]["date"]["accuracy"] == r["attributes"]["field"]["accuracy"] == 1 and r == run(
        *full
    )
    r = run(*[dict(x, type="notes") for x in full])
    assert (r["recall"], r["recall_any"], r["precision"], r["precision_typed"]) == (0, 1, 1, 0), r
    r = run(full[0], full[0], full[0], e("notes", "keep 30 days"), e("notes", "we have 300 rows"))
    assert (r["recall"], r["precision"], r["precision_must"], r["repeats"]) == (0.25, 0.6, 0.5, 1), r
    r = run(e("decisions", "Postgres, password hunter2"), e("decisions", "mysql"), e("profile", "QA"))
    assert (r["recall"], r["precision"], r["violations"]) == (0, 0, 3), r
    r = run(e("decisions", "mysql", status="superseded"), e("decisions", "hunter2", status="superseded"))
    assert (r["violations"], r["entries"]) == (1, 1), r
    r = run(e("notes", "tabs postgres renew cert"), b=[e("notes", "x")])
    assert (r["recall_any"], r["empty_share"]) == (0.5, 0), r
    assert run(e("preferences", "tabs " + "x" * 600))["recall"] == 0 and not run()["entries"]
    r = score([gold, none], {"zz": {"entries": []}})
    assert (r["missing"], r["unknown_ids"], r["precision"]) == (["a", "b"], ["zz"], None)
    assert not has(norm("mobile"), "BI") and has(norm("the BI team"), "bi") and not has("2026-03-30", "30")
    assert assign([[0], [0, 1]], 1) == {0, 1} and assign([[0], [0], [0]], 2) == {0, 1}
    print("selftest: ok")


if __name__ == "__main__":
    args = [a for a in sys.argv[1:] if not a.startswith("--")]
    if "--selftest" in sys.argv:
        sys.exit(selftest())
    result = score(*load(*args)) if len(args) == 2 else sys.exit(__doc__)
    print(json.dumps(result, ensure_ascii=False, indent=1)) if "--json" in sys.argv else show(result)
