"""tests/oracle/text/compare_test.py - the rules of compare.py: what they pass over, and what not."""
import sys
import unittest

sys.dont_write_bytecode = True
import compare  # noqa: E402

ALIKE = [
    ("StartTime=2026-11-21T02:36:40 x", "StartTime=2026-11-21T02:36:32 x"),
    ("    0:09 n1", "    0:11 n1"),
    ("RunTime=00:00:02 TimeLimit=00:05:00", "RunTime=00:00:13 TimeLimit=00:05:00"),
    ("Sat Nov 21 02:36:50 2026", "Sat Nov 21 02:36:44 2026"),
    ('"number": 1795228600', '"number": 1795228592'),
    ("AllocNode:Sid=vm:77", "AllocNode:Sid=localhost:2340"),
    ("n1 idle 4 8000 100 0.71 none", "n1 idle 4 8000 9000 0.10 none"),
    (" phys   10    0.625000           1      0.000000", " phys   10    0.625000           2      0.000000"),
    (" phys||10|0.625000|1|0.000000|", " phys||10|0.625000|2|0.000000|"),
    ("Cluster Utilization 2026-11-21T00:00:00 - 2026-11-21T02:59:59",
     "Cluster Utilization 2026-11-20T03:49:01 - 2026-11-21T02:49:00"),
    ("   oracle        0       12", "   oracle        1        9"),
]
APART = [
    ("StartTime=2026-11-21T03:36:40", "StartTime=2026-11-21T02:36:32"),  # an hour late
    ("0:00 n1", "0:11 n1"),  # has not run at all
    ("10:01", "9:59"),  # of another width
    ("TimeLimit=00:05:00", "TimeLimit=00:15:00"),
    ("ExitCode=0:0", "ExitCode=2:0"),
    ("Priority=11062", "Priority=1062"),
    ("n1 idle 4 8000 0 0.10 none", "n1 idle 4 8000 9000 0.10 none"),
    ("n1 idle 4 8000 999999999 0.10 none", "n1 idle 4 8000 9000 0.10 none"),
    ("CPULoad=99999.10", "CPULoad=0.10"),
    ("   oracle   phys        0", "   oracle   chem        0"),
    (" phys||10|0.625000|1|0.000000|", " phys||10|0.625000|5|0.000000|"),
    ("Cluster Utilization 2026-11-21T00:00:00 - 2026-11-21T02:59:58",
     "Cluster Utilization 2026-11-20T03:49:01 - 2026-11-21T02:49:00"),
    ("Top 10 Users 2026-11-21T00:00:00 - 2026-11-21T02:59:59 (7200 secs)",
     "Top 10 Users 2026-11-21T00:00:00 - 2026-11-21T02:59:59 (10800 secs)"),
    (" phys||10|0.625000|1|0.000000|", " phys||11|0.625000|1|0.000000|"),
    (" phys||10|0.625000|1|0.000000|", " phys||10|0.625000|1|0.100000|"),
    ("a\nb", "a"),
    ("a ", "a"),
    ("Unknown", "2026-11-21T02:36:32"),
]


class Compare(unittest.TestCase):
    def test_alike(self):
        for ours, recorded in ALIKE:
            self.assertEqual(compare.differences(ours, recorded), [], (ours, recorded))

    def test_apart(self):
        for ours, recorded in APART:
            self.assertNotEqual(compare.differences(ours, recorded), [], (ours, recorded))

    def test_reports_add_up(self):
        cluster = ("  Cluster Allocate     Down PLND Dow     Idle  Planned Reported \n"
                   "--------- -------- -------- -------- -------- -------- -------- \n"
                   "   oracle %8s        0        0        2        0        4 \n")
        used = ("  Cluster         Account     Login     Used \n"
                "--------- --------------- --------- -------- \n"
                "   oracle            root                  9 \n"
                "   oracle            phys           %8s \n"
                "   oracle            phys     alice        4 \n"
                "   oracle            phys       bob        4 \n")
        for text, good, wrong in ((cluster, "1", "12"), (used, "9", "1")):
            self.assertEqual(compare.use_faults(text % good), [])
            self.assertNotEqual(compare.use_faults(text % wrong), [])
        top = ("\nTop 10 Users x\n" + used[:used.index("   oracle")] + "   oracle            phys       bob        %s \n"
               "   oracle            phys     alice        3 \n")
        self.assertEqual(compare.use_faults(top % 4), [])
        self.assertNotEqual(compare.use_faults(top % 2), [])

    def test_json_is_compared_by_layout_and_members(self):
        recorded = '{\n  "a": [\n    {\n      "b": "x\\/y",\n      "c": 1\n    }\n  ],\n  "d": [\n  ]\n}\n'
        self.assertEqual(compare.laid_out(recorded.replace(" ", "").replace("\n", "")), recorded)
        self.assertEqual(compare.json_differences(recorded, recorded), [])
        for old, new in (("x", "z"), ("1", "2")):
            self.assertNotEqual(compare.json_differences(recorded.replace(old, new), recorded), [], new)
        for old, new in (("1", '"1"'), ('"c"', '"e"'), ("\n  ]\n", "]\n"), ("\\/", "/"), ("}", "")):
            self.assertNotEqual(compare.json_differences(recorded.replace(old, new), recorded), [], new)

    def test_values_of_json_are_compared_but_for_what_chance_makes(self):
        def nodes(*values):
            members = ", ".join(f'"{name}": {value}' for name, value in values)
            return compare.laid_out(f'{{"nodes": [{{{members}}}], "last_update": {{"number": 1}}}}')
        recorded = nodes(("port", 1), ("cpus", 4), ("boot", 1795228592))
        self.assertEqual(compare.json_differences(
            nodes(("port", 2), ("cpus", 4), ("boot", 1795228600)), recorded), [])
        for other in (nodes(("port", 1), ("cpus", 5), ("boot", 1795228592)),
                      nodes(("port", 1), ("cpus", 4), ("boot", 1795999999)),
                      recorded.replace("}\n  ]", "},\n    {\n    }\n  ]")):
            self.assertNotEqual(compare.json_differences(other, recorded), [], other)

    def test_a_diff_names_the_lines(self):
        self.assertEqual(compare.differences("a\nx\nc", "a\nb\nc"), ["recorded | b", "here     | x"])

    def test_moments_of_a_run_become_those_of_the_recording(self):
        begin_s = compare.moment("2030-01-01T00:00:00")
        self.assertEqual(compare.at_recorded_moments("2030-01-01T00:00:05", begin_s),
                         "2026-11-21T02:36:37")


if __name__ == "__main__":
    unittest.main()
